// SPDX-License-Identifier: GPL-3.0-or-later
// What most sources of views and app include, compiled once (see cubist_precompile). Sources do not count on it.
#pragma once

#include "cmake/pch/core.h"

#include <QtWidgets>
