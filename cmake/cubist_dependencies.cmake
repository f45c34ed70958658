# SPDX-License-Identifier: GPL-3.0-or-later
# Third-party libraries. Imported targets are system includes, so our warnings do not reach into them.

find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(HWY 1.0 REQUIRED NAMES HWY hwy)
find_package(ZLIB 1.2.9 REQUIRED)

find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets Svg Concurrent PrintSupport Test LinguistTools)
# QCustomPlot's config does not look up Qt itself: it has to come second.
find_package(QCustomPlotQt6 REQUIRED)

find_package(benchmark QUIET)
find_package(OpenBLAS QUIET)

# Debian's interpreter first: its packages (numpy) are the ones the tests install.
find_program(CUBIST_PYTHON python3 HINTS /usr/bin)
