// SPDX-License-Identifier: GPL-3.0-or-later
// What most tests of core and of the command line include, compiled once (see cubist_precompile).
#pragma once

#include "cmake/pch/core.h"

#include "core/exchange/design_json.h"
#include "core/run/run.h"

#include <QtTest>
