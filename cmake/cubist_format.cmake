# SPDX-License-Identifier: GPL-3.0-or-later
# `format` rewrites our sources with clang-format 14, `format_check` fails when that would change something.

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
