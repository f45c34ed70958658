# SPDX-License-Identifier: GPL-3.0-or-later
# Checks of the sources as tests: who may include and link whom, formula ids, and the checks of the checks.

# The libraries each target names, one "target library" a line; the `layers` test reads it.
set(cubist_link_lines "")
foreach(target IN ITEMS cubist_core cubist_views cubist_app_common cubist-cli)
    set(libraries "$<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},LINK_LIBRARIES>>")
    string(APPEND cubist_link_lines "${target} $<JOIN:${libraries},\n${target} >\n")
endforeach()
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/links.txt" CONTENT "${cubist_link_lines}")

set(cubist_layers_arguments --links "${PROJECT_BINARY_DIR}/links.txt" --program $<TARGET_FILE:cubist-cli>)
if(NOT CUBIST_SANITIZE)
    # Sanitizers add writable objects of their own.
    list(APPEND cubist_layers_arguments --library $<TARGET_FILE:cubist_core>)
endif()
add_test(NAME layers
    COMMAND "${CUBIST_PYTHON}" "${PROJECT_SOURCE_DIR}/cmake/check_layers.py" "${PROJECT_SOURCE_DIR}"
        ${cubist_layers_arguments})
add_test(NAME formula_ids
    COMMAND "${CUBIST_PYTHON}" "${PROJECT_SOURCE_DIR}/cmake/check_formula_ids.py" "${PROJECT_SOURCE_DIR}")
add_test(NAME checks_can_fail
    COMMAND "${CUBIST_PYTHON}" "${PROJECT_SOURCE_DIR}/tests/checks/test_checks.py")
set_tests_properties(layers formula_ids checks_can_fail PROPERTIES LABELS checks TIMEOUT 120
    ENVIRONMENT "LC_ALL=C.UTF-8;PYTHONDONTWRITEBYTECODE=1")
