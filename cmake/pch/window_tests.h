// SPDX-License-Identifier: GPL-3.0-or-later
// What most tests of the window include, compiled once (see cubist_precompile).
#pragma once

#include "cmake/pch/window.h"

#include <QtTest>
