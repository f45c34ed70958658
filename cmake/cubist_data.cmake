# SPDX-License-Identifier: GPL-3.0-or-later
# Data files the programs read at run time: copied to <build>/share/cubist by the default target, installed beside it.

set(CUBIST_SHARE_DIR "${PROJECT_BINARY_DIR}/share/cubist")
set(cubist_data_outputs "")

# cubist_share(destination pattern...): every file that matches goes to share/cubist/<destination>.
function(cubist_share destination)
    list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/")
    file(GLOB files CONFIGURE_DEPENDS ${ARGN})
    foreach(file IN LISTS files)
        cmake_path(GET file FILENAME filename)
        cmake_path(APPEND CUBIST_SHARE_DIR "${destination}" "${filename}" OUTPUT_VARIABLE output)
        cmake_path(NORMAL_PATH output)
        add_custom_command(OUTPUT "${output}"
            COMMAND "${CMAKE_COMMAND}" -E copy "${file}" "${output}"
            DEPENDS "${file}"
            COMMENT "Copying ${filename}"
            VERBATIM)
        list(APPEND cubist_data_outputs "${output}")
    endforeach()
    if(files)
        install(FILES ${files} DESTINATION "${CMAKE_INSTALL_DATADIR}/cubist/${destination}")
    endif()
    set(cubist_data_outputs "${cubist_data_outputs}" PARENT_SCOPE)
endfunction()

cubist_share(. "resources/*.schema.json")
cubist_share(chips "resources/chips/*.json")
cubist_share(skeletons "resources/skeletons/*.json")
cubist_share(python "resources/python/*.py")
cubist_share(samples "samples/*.cubist.json" "samples/titles.json")
add_custom_target(cubist_data ALL DEPENDS ${cubist_data_outputs})

# A file that left the source tree must not live on in the build tree, where `list` would still show it.
file(GLOB_RECURSE cubist_old_data "${CUBIST_SHARE_DIR}/*")
if(cubist_data_outputs AND cubist_old_data)
    list(REMOVE_ITEM cubist_old_data ${cubist_data_outputs})
endif()
if(cubist_old_data)
    file(REMOVE ${cubist_old_data})
endif()
