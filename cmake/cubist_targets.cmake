# SPDX-License-Identifier: GPL-3.0-or-later
# Helpers that give our targets the common settings.

set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

# cubist_add_library(name): static library `name` with alias `cubist::<name without cubist_>`.
function(cubist_add_library name)
    add_library(${name} STATIC)
    string(REGEX REPLACE "^cubist_" "" short "${name}")
    add_library(cubist::${short} ALIAS ${name})
    target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} PRIVATE cubist::options)
endfunction()

# cubist_verify_headers(name folder): the target all_verify_interface_header_sets compiles every header of `folder` alone.
# Headers named *-inl.h are parts of a source that Highway compiles once per instruction set; they do not stand alone.
function(cubist_verify_headers name folder)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${folder}/*.h")
    list(FILTER headers EXCLUDE REGEX "-inl\\.h$")
    target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${headers})
    set_target_properties(${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# cubist_add_program(name): executable in <build>/bin, installed; building it also copies the data it reads.
function(cubist_add_program name)
    add_executable(${name})
    add_dependencies(${name} cubist_data)
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${name} PRIVATE cubist::options)
    install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endfunction()

# cubist_precompile(name HEADER file | FROM target): with CUBIST_PRECOMPILE, `name` starts from a compiled header of its
# own, or from that of another target with the same flags.
function(cubist_precompile name)
    if(NOT CUBIST_PRECOMPILE)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;FROM" "")
    if(arg_FROM)
        target_precompile_headers(${name} REUSE_FROM ${arg_FROM})
    else()
        target_precompile_headers(${name} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/pch/${arg_HEADER}")
    endif()
endfunction()
