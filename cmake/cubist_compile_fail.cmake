# SPDX-License-Identifier: GPL-3.0-or-later
# cubist_add_compile_fail(name MESSAGE regex)
#
# compile_fail/<name>.cpp is legal as it stands and must be refused with CUBIST_MUST_NOT_COMPILE defined, for the reason
# that MESSAGE matches: a typing error in the file would fail to compile too, but for another reason.
function(cubist_add_compile_fail name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "MESSAGE" "")
    set(compile "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only -Wall -Werror -I "${PROJECT_SOURCE_DIR}")
    set(source "${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/${name}.cpp")
    add_test(NAME compile_fail.${name}.control COMMAND ${compile} "${source}")
    add_test(NAME compile_fail.${name} COMMAND ${compile} -DCUBIST_MUST_NOT_COMPILE "${source}")
    set_tests_properties(compile_fail.${name}.control compile_fail.${name} PROPERTIES LABELS core TIMEOUT 120
        ENVIRONMENT LC_ALL=C)
    set_tests_properties(compile_fail.${name} PROPERTIES PASS_REGULAR_EXPRESSION "error: (${arg_MESSAGE})")
endfunction()
