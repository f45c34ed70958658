# SPDX-License-Identifier: GPL-3.0-or-later
# Compiler flags of everything we build, in one interface target: cubist::options.

option(CUBIST_WERROR "Treat warnings as errors" OFF)
option(CUBIST_PRECOMPILE "Compile common headers once: for builds from clean; leave it off to see missing includes" OFF)
set(CUBIST_SANITIZE "" CACHE STRING "Sanitizers to build with: empty, 'address,undefined' or 'thread'")
set_property(CACHE CUBIST_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")

get_property(cubist_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT cubist_multi_config AND NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Invariants are checked in every build: a wrong number that looks right is worse than a stop.
foreach(config IN ITEMS DEBUG RELEASE RELWITHDEBINFO MINSIZEREL)
    string(REGEX REPLACE "[-/]DNDEBUG" "" CMAKE_CXX_FLAGS_${config} "${CMAKE_CXX_FLAGS_${config}}")
endforeach()
string(REGEX REPLACE "[-/]DNDEBUG" "" CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS}")

add_library(cubist_options INTERFACE)
add_library(cubist::options ALIAS cubist_options)
target_compile_features(cubist_options INTERFACE cxx_std_20)
target_compile_options(cubist_options INTERFACE
    # A fused multiply-add rounds once where the source says twice; it is only used where the code asks for it.
    -ffp-contract=off
    $<$<CONFIG:Debug>:-Og>
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wswitch-enum
    -Wnon-virtual-dtor -Woverloaded-virtual
    # GCC 12 at -O3 takes every `"text" + std::string` for an overlapping copy (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -Wno-restrict>
    # The same report under other names, once the templates come out of a compiled header.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CUBIST_PRECOMPILE}>,$<NOT:$<CONFIG:Debug>>>:-Wno-stringop-overflow$<SEMICOLON>-Wno-array-bounds>
    # GCC 12 at -Og reports uninitialised members inside <stop_token> and <variant>, at -O3 null pointers inside <vector>;
    # each of the two warnings is on where it is of use.
    $<IF:$<CONFIG:Debug>,-Wno-maybe-uninitialized$<SEMICOLON>-Wnull-dereference,>
    $<$<BOOL:${CUBIST_WERROR}>:-Werror>)
target_compile_definitions(cubist_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(CUBIST_SANITIZE)
    target_compile_options(cubist_options INTERFACE
        -fsanitize=${CUBIST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
        # Reports need lines, not variables; a fifth of the compile time is theirs.
        -g1
        # GCC 12 reports false positives of these two in instrumented code.
        -Wno-maybe-uninitialized -Wno-null-dereference)
    target_link_options(cubist_options INTERFACE -fsanitize=${CUBIST_SANITIZE})
endif()

# Debian's mold links our programs, a hundred megabytes each with a sanitizer, in a third of the time of GNU ld.
find_program(CUBIST_MOLD mold)
if(CUBIST_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
    target_link_options(cubist_options INTERFACE -fuse-ld=mold)
endif()

# Code that waits for people or is a test gains nothing from -O3, which takes half of its compile time.
add_library(cubist_light_options INTERFACE)
add_library(cubist::light_options ALIAS cubist_light_options)
target_compile_options(cubist_light_options INTERFACE $<$<CONFIG:Release>:-O2>)
add_library(cubist_test_options INTERFACE)
add_library(cubist::test_options ALIAS cubist_test_options)
target_compile_options(cubist_test_options INTERFACE $<$<CONFIG:Release>:-O1>)
