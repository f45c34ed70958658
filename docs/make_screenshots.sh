#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Renews the pictures of the documentation from a build tree, and writes the set for looking through (two languages, three
# themes, three layouts, two sizes of the window, 100 % and 200 %) beside it: docs/make_screenshots.sh [BUILD_FOLDER [SET_FOLDER]]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-"$root/build/release"}
set_folder=${2:-"$build/screenshots"}
export QT_QPA_PLATFORM=offscreen
"$build/bin/cubist" --screenshot "$root/docs/images"
"$build/bin/cubist" --screenshot-set "$set_folder"
QT_SCALE_FACTOR=2 "$build/bin/cubist" --screenshot-set "$set_folder"
ls "$root/docs/images" "$set_folder"
