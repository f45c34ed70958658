# SPDX-License-Identifier: GPL-3.0-or-later
# `format` rewrites our sources with clang-format 14, `format_check` fails when that would change something; `tidy` runs
# clang-tidy 14 over the sources of core, views and app.

find_program(CUBIST_CLANG_FORMAT NAMES clang-format-14 clang-format)
if(CUBIST_CLANG_FORMAT)
    set(cubist_format_patterns "")
    foreach(folder IN ITEMS app bench core tests views)
        list(APPEND cubist_format_patterns "${PROJECT_SOURCE_DIR}/${folder}/*.h" "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
    endforeach()
    file(GLOB_RECURSE cubist_format_files CONFIGURE_DEPENDS ${cubist_format_patterns})
    add_custom_target(format
        COMMAND "${CUBIST_CLANG_FORMAT}" -i ${cubist_format_files}
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM)
    add_custom_target(format_check
        COMMAND "${CUBIST_CLANG_FORMAT}" --dry-run -Werror ${cubist_format_files}
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM)
endif()

find_program(CUBIST_RUN_CLANG_TIDY NAMES run-clang-tidy-14)
if(CUBIST_RUN_CLANG_TIDY)
    add_custom_target(tidy
        COMMAND "${CUBIST_RUN_CLANG_TIDY}" -quiet -p "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}/(core|views|app)/"
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM USES_TERMINAL)
endif()
