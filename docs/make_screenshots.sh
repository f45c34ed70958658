#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Renews the pictures of the documentation from a build tree: docs/make_screenshots.sh [BUILD_FOLDER]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-"$root/build/release"}
QT_QPA_PLATFORM=offscreen "$build/bin/cubist" --screenshot "$root/docs/images"
ls "$root/docs/images"
