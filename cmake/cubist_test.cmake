# SPDX-License-Identifier: GPL-3.0-or-later
# cubist_add_test(name LABELS core|views|cli [SOURCES file...] [LIBS target...] [TIMEOUT seconds])
#
# One Qt Test program and its ctest entry. Without SOURCES it is <first label>/<name>.cpp. Core tests link cubist::core,
# views tests also the window, cli tests get the path of cubist-cli. Compile-time strings for all of them:
# CUBIST_SOURCE_DIR, CUBIST_TEST_DATA_DIR (tests/data), CUBIST_SHARE_DIR (<build>/share/cubist), CUBIST_CLI, CUBIST_PYTHON.
# The target <first label>_tests builds all programs of one label.
function(cubist_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LABELS;LIBS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_LABELS)
        message(FATAL_ERROR "cubist_add_test(${name}): wants LABELS, and does not know '${arg_UNPARSED_ARGUMENTS}'")
    endif()
    list(GET arg_LABELS 0 label)
    if(NOT arg_SOURCES)
        set(arg_SOURCES ${label}/${name}.cpp)
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()

    add_executable(${name} ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    # What moc makes of a test is included at its end. A call of moc for each costs a tenth of what AUTOMOC does.
    foreach(source IN LISTS arg_SOURCES)
        get_filename_component(stem "${source}" NAME_WE)
        set(made "${CMAKE_CURRENT_BINARY_DIR}/moc/${stem}.moc")
        qt_generate_moc("${CMAKE_CURRENT_SOURCE_DIR}/${source}" "${made}")
        target_sources(${name} PRIVATE "${made}")
    endforeach()
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}/moc")
    target_link_libraries(${name} PRIVATE cubist::options cubist::test_options ${arg_LIBS} cubist_test_support)
    if(label STREQUAL "views")
        target_link_libraries(${name} PRIVATE cubist::window)
        cubist_precompile(${name} FROM cubist_layout_check)
    else()
        cubist_precompile(${name} FROM cubist_test_support)
    endif()
    target_compile_definitions(${name} PRIVATE
        CUBIST_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
        CUBIST_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/data"
        CUBIST_SHARE_DIR="${CUBIST_SHARE_DIR}"
        CUBIST_CLI="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cubist-cli"
        CUBIST_PYTHON="${CUBIST_PYTHON}")

    if(NOT TARGET ${label}_tests)
        add_custom_target(${label}_tests)
    endif()
    add_dependencies(${label}_tests ${name})
    add_dependencies(${name} cubist_data)

    add_test(NAME ${name} COMMAND ${name})
    cubist_set_test_environment(${name} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
endfunction()

# Environment of every test: no display, no settings of the user, sanitizers that stop at the first finding.
function(cubist_set_test_environment name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LABELS")
    set(home "${PROJECT_BINARY_DIR}/tests/home/${name}")
    if(CUBIST_SANITIZE)
        math(EXPR arg_TIMEOUT "4 * ${arg_TIMEOUT}")
    endif()
    set_tests_properties(${name} PROPERTIES
        LABELS "${arg_LABELS}"
        TIMEOUT ${arg_TIMEOUT}
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8;XDG_CONFIG_HOME=${home}/config;XDG_DATA_HOME=${home}/data;\
XDG_CACHE_HOME=${home}/cache;XDG_STATE_HOME=${home}/state;CUBIST_CLI=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cubist-cli;\
CUBIST_SHARE_DIR=${CUBIST_SHARE_DIR};\
ASAN_OPTIONS=detect_stack_use_after_return=1;LSAN_OPTIONS=suppressions='${PROJECT_SOURCE_DIR}/cmake/lsan.supp':print_suppressions=0;\
UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1;TSAN_OPTIONS=halt_on_error=1:suppressions='${PROJECT_SOURCE_DIR}/cmake/tsan.supp'"
        ENVIRONMENT_MODIFICATION "CUBIST_DATA=unset:;DISPLAY=unset:;WAYLAND_DISPLAY=unset:")
endfunction()

# cubist_add_script_test(name LABELS label... [SCRIPT file] [ARGS argument...] [TIMEOUT seconds]): the script, by default
# <first label>/<name>.py, run by Debian's Python with CUBIST_CLI and CUBIST_SHARE_DIR in its environment. Exit status 77
# of the script means that it was skipped.
function(cubist_add_script_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SCRIPT;TIMEOUT" "ARGS;LABELS")
    list(GET arg_LABELS 0 label)
    if(NOT arg_SCRIPT)
        set(arg_SCRIPT ${label}/${name}.py)
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    add_test(NAME ${name} COMMAND "${CUBIST_PYTHON}" -B "${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT}" ${arg_ARGS})
    cubist_set_test_environment(${name} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
