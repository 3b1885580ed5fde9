# vcpkg's functions that the port calls, as far as the port uses them, so that the port can be run
# without vcpkg: cmake -D PORT_DIR=... -D OUT=... -D LINKAGE=static|dynamic -P vcpkg.cmake
#
# They do what vcpkg's documentation says, with the real cmake: a release and a debug build, both
# installed below OUT/packages, debug in a folder of its own. What they don't do is vcpkg's checks
# of the installed files, its triplets and its toolchain.

cmake_minimum_required(VERSION 3.25)
set(PORT heist)
set(CURRENT_PORT_DIR "${PORT_DIR}")
set(CURRENT_PACKAGES_DIR "${OUT}/packages")
set(VCPKG_LIBRARY_LINKAGE "${LINKAGE}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\nended with ${status}\n${out}")
  endif()
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vcpkg_cmake_configure takes no ${arg_UNPARSED_ARGUMENTS} here")
  endif()
  set(is_shared OFF)
  if(VCPKG_LIBRARY_LINKAGE STREQUAL "dynamic")
    set(is_shared ON)
  endif()
  foreach(type rel dbg)
    set(prefix "${CURRENT_PACKAGES_DIR}")
    set(build_type Release)
    if(type STREQUAL "dbg")
      set(prefix "${prefix}/debug")
      set(build_type Debug)
    endif()
    run("${CMAKE_COMMAND}" -S "${arg_SOURCE_PATH}" -B "${OUT}/${type}" -G Ninja ${arg_OPTIONS}
        "-DCMAKE_BUILD_TYPE=${build_type}" "-DBUILD_SHARED_LIBS=${is_shared}" "-DCMAKE_INSTALL_PREFIX=${prefix}"
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_BINDIR=bin)
  endforeach()
endfunction()

function(vcpkg_cmake_install)
  foreach(type rel dbg)
    run("${CMAKE_COMMAND}" --build "${OUT}/${type}" --target install)
  endforeach()
endfunction()

# Moves the release's package files to share/PORT, and what the debug build adds beside them.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  set(to "${CURRENT_PACKAGES_DIR}/share/${PORT}")
  file(MAKE_DIRECTORY "${to}")
  file(GLOB files "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*")
  if(NOT files)
    message(FATAL_ERROR "no package files in ${arg_CONFIG_PATH}")
  endif()
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    # One folder less below the prefix than before.
    string(REPLACE [["${CMAKE_CURRENT_LIST_DIR}/../../../"]] [["${CMAKE_CURRENT_LIST_DIR}/../../"]] text "${text}")
    string(REGEX REPLACE
      "(get_filename_component\\(_IMPORT_PREFIX \"\\$\\{CMAKE_CURRENT_LIST_FILE\\}\" PATH\\)\n)(get_filename_component\\(_IMPORT_PREFIX \"\\$\\{_IMPORT_PREFIX\\}\" PATH\\)\n)"
      "\\1" text "${text}")
    get_filename_component(name "${file}" NAME)
    file(WRITE "${to}/${name}" "${text}")
  endforeach()
  file(GLOB debug "${CURRENT_PACKAGES_DIR}/debug/${arg_CONFIG_PATH}/*-debug.cmake")
  foreach(file IN LISTS debug)
    file(READ "${file}" text)
    string(REPLACE "\${_IMPORT_PREFIX}/" "\${_IMPORT_PREFIX}/debug/" text "${text}")
    get_filename_component(name "${file}" NAME)
    file(WRITE "${to}/${name}" "${text}")
  endforeach()
  file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib/cmake" "${CURRENT_PACKAGES_DIR}/debug/lib/cmake")
endfunction()

function(vcpkg_fixup_pkgconfig)
  file(GLOB files "${CURRENT_PACKAGES_DIR}/lib/pkgconfig/*.pc")
  if(NOT files)
    message(FATAL_ERROR "no pkg-config files")
  endif()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(READ "${arg_FILE_LIST}" text)
  file(WRITE "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright" "${text}")
endfunction()

include("${PORT_DIR}/portfile.cmake")

# As vcpkg does after a build.
foreach(file share/heist/copyright share/heist/usage share/heist/heist-config.cmake include/heist/heist.hpp)
  if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/${file}")
    message(FATAL_ERROR "the port installed no ${file}")
  endif()
endforeach()
foreach(folder debug/include debug/share share/doc lib/cmake)
  if(EXISTS "${CURRENT_PACKAGES_DIR}/${folder}")
    message(FATAL_ERROR "the port left ${folder}, which vcpkg refuses")
  endif()
endforeach()
