# The install tests: cmake -D CASE=... -D SETTINGS=... -P install_test.cmake
#
# `stage` installs into one folder and moves the result to another: anything that refers to the
# first folder fails afterwards. The other cases build consumer/main.cpp against the moved tree, as
# a user would.

cmake_minimum_required(VERSION 3.25)
include("${SETTINGS}")
set(PREFIX "${WORK}/moved/prefix")

# Runs a command and ends the test with its output if it fails. The output is left in `output`.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\nended with ${status}\n${out}${err}")
  endif()
  message(STATUS "${out}")
  set(output "${out}" PARENT_SCOPE)
endfunction()

# Ends the test if a text lacks what is expected.
function(expect text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "expected \"${pattern}\" in:\n${text}")
  endif()
endfunction()

# The settings that any configuration shares with the build under test.
function(common_settings variable)
  set(settings -G "${GENERATOR}" "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
  if(CXX_LAUNCHER)
    list(GET CXX_LAUNCHER -1 launcher)  # ours sets an environment for precompiled headers
    list(APPEND settings "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}")
  endif()
  if(TOOLCHAIN)
    list(APPEND settings "-DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN}")
  else()
    list(APPEND settings "-DCMAKE_CXX_COMPILER=${CXX}")
  endif()
  set(${variable} "${settings}" PARENT_SCOPE)
endfunction()

# Configures a project in an empty folder: configure(folder settings...). `output` has CMake's
# messages.
function(configure project)
  file(REMOVE_RECURSE "${WORK}/${CASE}")
  common_settings(settings)
  run("${CMAKE_COMMAND}" -S "${project}" -B "${WORK}/${CASE}" ${settings} ${ARGN})
  set(output "${output}" PARENT_SCOPE)
endfunction()

# The same for a command that must fail; `output` has the errors.
function(run_to_fail)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\nhasn't failed\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

# Configures, builds and runs a consumer project: consume(folder settings...).
function(consume project)
  set(build "${WORK}/${CASE}")
  configure("${HERE}/${project}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}" ${ARGN})
  run("${CMAKE_COMMAND}" --build "${build}")
  run(${EMULATOR} "${build}/consumer")
endfunction()

# The settings that tell a project where the package is. A cross build looks for packages only in
# the target's root, so it gets the folder itself.
if(EMULATOR)
  set(PACKAGE_PLACE "-Dheist_DIR=${PREFIX}/${LIBDIR}/cmake/heist")
else()
  set(PACKAGE_PLACE "-DCMAKE_PREFIX_PATH=${PREFIX}")
endif()

# Asks pkg-config for a package of the moved tree only: ask_pkg_config(variable arguments...).
function(ask_pkg_config variable)
  set(ENV{PKG_CONFIG_LIBDIR} "${PREFIX}/${LIBDIR}/pkgconfig")
  run("${PKG_CONFIG}" ${ARGN})
  string(STRIP "${output}" answer)
  separate_arguments(answer UNIX_COMMAND "${answer}")
  set(${variable} "${answer}" PARENT_SCOPE)
endfunction()

# Builds and runs the consumer with one call of the compiler: consume_by_pkg_config(package
# link_option...).
function(consume_by_pkg_config package)
  ask_pkg_config(version --modversion ${package})
  ask_pkg_config(cflags --cflags ${package})
  ask_pkg_config(libs --libs ${package})
  separate_arguments(flags UNIX_COMMAND "${CXX_FLAGS}")
  set(program "${WORK}/consumer_${CASE}")
  run("${CXX}" -std=c++20 -O2 ${flags} "-DEXPECTED_VERSION=\"${version}\"" ${cflags} "${HERE}/consumer/main.cpp"
      -o "${program}" ${libs} ${ARGN})
  run(${EMULATOR} "${program}")
endfunction()

# The shared libraries that a program or library requests from the loader, as readelf prints them.
function(needed_by file)
  run("${READELF}" -d "${file}")
  string(REGEX MATCHALL "\\((NEEDED|SONAME)\\)[^\n]*" entries "${output}")
  set(entries "${entries}" PARENT_SCOPE)
endfunction()

function(expect_needed file)
  needed_by("${file}")
  if(NOT entries MATCHES "NEEDED[^;]*\\[${SONAME}\\]")
    message(FATAL_ERROR "${file} doesn't ask for ${SONAME}: ${entries}")
  endif()
endfunction()

function(expect_not_needed file)
  needed_by("${file}")
  if(entries MATCHES "libheist")
    message(FATAL_ERROR "${file} asks for a shared libheist: ${entries}")
  endif()
endfunction()

# How a library or program with -fsanitize=SANITIZERS was built, in the terms of
# heist/detail/export.hpp.
function(name_of_build variable sanitizers)
  if(sanitizers MATCHES "(address|thread)")
    set(${variable} "with_${CMAKE_MATCH_1}_sanitizer" PARENT_SCOPE)
  else()
    set(${variable} without_sanitizer PARENT_SCOPE)
  endif()
endfunction()

if(CASE STREQUAL "stage")
  file(REMOVE_RECURSE "${WORK}/first" "${WORK}/moved")
  run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/first/prefix")
  file(MAKE_DIRECTORY "${WORK}/moved")
  file(RENAME "${WORK}/first/prefix" "${PREFIX}")

elseif(CASE STREQUAL "components")
  # Each component brings what is its own, with the licence; together they are the whole.
  set(libheist "${LIBDIR}/${SONAME}")
  set(in_runtime "${libheist}")
  set(in_dev include/heist/heist.hpp include/heist/version.hpp "${LIBDIR}/libheist.a" "${LIBDIR}/libheist.so"
             "${LIBDIR}/cmake/heist/heist-config.cmake" "${LIBDIR}/pkgconfig/heist.pc" share/heist/heist-gdb.py
             share/doc/heist/README.md share/doc/heist/CHANGELOG.md share/doc/heist/docs/guide.md
             share/doc/heist/docs/pictures/report.png share/doc/heist/integrations/libtbb/README.md)
  set(in_tools bin/heist bin/heist-bench bin/heist-lab bin/heist-tbb share/man/man1/heist.1 share/man/man1/heist-lab.1 share/bash-completion/completions/heist
               share/zsh/site-functions/_heist share/fish/vendor_completions.d/heist.fish)
  file(REMOVE_RECURSE "${WORK}/${CASE}")
  foreach(component runtime dev tools)
    run("${CMAKE_COMMAND}" --install "${BUILD}" --component ${component} --prefix "${WORK}/${CASE}/${component}")
    foreach(other runtime dev tools)
      foreach(file IN LISTS in_${other})
        set(path "${WORK}/${CASE}/${component}/${file}")
        if(component STREQUAL other AND NOT EXISTS "${path}" AND NOT IS_SYMLINK "${path}")
          message(FATAL_ERROR "the component ${component} has no ${file}")
        elseif(NOT component STREQUAL other AND (EXISTS "${path}" OR IS_SYMLINK "${path}"))
          message(FATAL_ERROR "the component ${component} has ${file}, which is of ${other}")
        endif()
      endforeach()
    endforeach()
    if(NOT EXISTS "${WORK}/${CASE}/${component}/share/doc/heist/LICENSE")
      message(FATAL_ERROR "the component ${component} has no licence")
    endif()
    file(GLOB_RECURSE files RELATIVE "${WORK}/${CASE}/${component}" "${WORK}/${CASE}/${component}/*")
    list(APPEND parts ${files})
  endforeach()
  file(GLOB_RECURSE whole RELATIVE "${PREFIX}" "${PREFIX}/*")
  list(REMOVE_ITEM whole ${parts})
  if(whole)
    message(FATAL_ERROR "these files are of no component: ${whole}")
  endif()

elseif(CASE STREQUAL "versions")
  # The packages of other systems have this version, and Conan's recipe takes all that the library
  # is built from.
  run("${PYTHON}" -B "${HERE}/packaging.py" "${SOURCE}" "${VERSION}" "${WORK}/${CASE}-sources")
  configure("${WORK}/${CASE}-sources" -DHEIST_LIBRARY_ONLY=ON)

elseif(CASE STREQUAL "find_package_static")
  consume(consumer "${PACKAGE_PLACE}")
  expect_not_needed("${WORK}/${CASE}/consumer")

elseif(CASE STREQUAL "find_package_shared")
  consume(consumer "${PACKAGE_PLACE}" -DHEIST_SHARED=ON)
  expect_needed("${WORK}/${CASE}/consumer")

elseif(CASE STREQUAL "pkg_config_static")
  consume_by_pkg_config(heist)
  expect_not_needed("${WORK}/consumer_${CASE}")

elseif(CASE STREQUAL "pkg_config_shared")
  consume_by_pkg_config(heist-shared "-Wl,-rpath,${PREFIX}/${LIBDIR}")
  expect_needed("${WORK}/consumer_${CASE}")

elseif(CASE STREQUAL "adapters")
  consume(adapters "${PACKAGE_PLACE}" "-DHEIST_SOURCE=${SOURCE}")

elseif(CASE STREQUAL "add_subdirectory")
  # The test compiles the whole library, and its speed does not matter.
  consume(embedder "-DHEIST_SOURCE=${SOURCE}" -DEXPECTED_VERSION=${VERSION} -DCMAKE_BUILD_TYPE=)

elseif(CASE STREQUAL "soname")
  needed_by("${PREFIX}/${LIBDIR}/libheist.so")
  if(NOT entries MATCHES "SONAME[^;]*\\[${SONAME}\\]")
    message(FATAL_ERROR "expected the soname ${SONAME}: ${entries}")
  endif()
  if(entries MATCHES "hwloc")
    message(FATAL_ERROR "hwloc must be loaded when asked for, not linked: ${entries}")
  endif()

elseif(CASE STREQUAL "exports")
  # The exports of the shared library are a promise: it exports at least one name of namespace
  # heist, and otherwise only inline code of the standard library that the compiler put into it,
  # weak and visible everywhere.
  run("${NM}" --dynamic --defined-only --format=posix "${PREFIX}/${LIBDIR}/libheist.so")
  string(REGEX REPLACE "\n+$" "" output "${output}")
  string(REPLACE "\n" ";" symbols "${output}")
  list(FILTER symbols EXCLUDE REGEX "^_Z(GV)?(Z?NK?|T[VIST])?(S[abdiost]|9__gnu_cxx).* [WVu] ")
  list(LENGTH symbols count)
  if(count EQUAL 0)
    message(FATAL_ERROR "the shared library exports nothing")
  endif()
  list(FILTER symbols EXCLUDE REGEX "^(_Z(GV|T[VISTHW])?Z?NK?5heist|heist_v[0-9]+_)")
  if(symbols)
    list(JOIN symbols "\n" symbols)
    message(FATAL_ERROR "the shared library exports what isn't heist's:\n${symbols}")
  endif()

elseif(CASE STREQUAL "chosen_library")
  # HEIST_SHARED or BUILD_SHARED_LIBS chooses between shared and static, in a subproject and for an
  # installed package.
  foreach(project IN ITEMS embedder consumer)
    set(place "${PACKAGE_PLACE}" "-DHEIST_SOURCE=${SOURCE}" -DEXPECTED_VERSION=${VERSION})
    configure("${HERE}/${project}" ${place} -DEXPECTED_TYPE=STATIC_LIBRARY)
    configure("${HERE}/${project}" ${place} -DEXPECTED_TYPE=STATIC_LIBRARY -DHEIST_SHARED=OFF -DBUILD_SHARED_LIBS=ON)
    configure("${HERE}/${project}" ${place} -DEXPECTED_TYPE=SHARED_LIBRARY -DHEIST_SHARED=ON)
    configure("${HERE}/${project}" ${place} -DEXPECTED_TYPE=SHARED_LIBRARY -DBUILD_SHARED_LIBS=ON)
  endforeach()

elseif(CASE STREQUAL "library_only")
  # If the packages that the command and the tests need are missing, each is named with the switch
  # that turns its part off, and that switch works in the same folder.
  set(packages fmt PNG CLI11 nlohmann_json GTest)
  list(TRANSFORM packages PREPEND -DCMAKE_DISABLE_FIND_PACKAGE_ OUTPUT_VARIABLE without)
  list(TRANSFORM without APPEND =ON)
  file(REMOVE_RECURSE "${WORK}/${CASE}")
  common_settings(settings)
  run_to_fail("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/${CASE}" ${settings} ${without})
  foreach(package IN LISTS packages)
    expect("${output}" "need ${package} [(]Debian: ")
  endforeach()
  expect("${output}" "-DHEIST_LIBRARY_ONLY=ON")
  run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/${CASE}" -DHEIST_LIBRARY_ONLY=ON)

elseif(CASE STREQUAL "build_type")
  configure("${SOURCE}" -DHEIST_LIBRARY_ONLY=ON)
  expect("${output}" "no CMAKE_BUILD_TYPE given: Release")
  file(STRINGS "${WORK}/${CASE}/CMakeCache.txt" type REGEX "^CMAKE_BUILD_TYPE:")
  expect("${type}" "=Release$")
  configure("${SOURCE}" -DHEIST_LIBRARY_ONLY=ON -DCMAKE_BUILD_TYPE=Debug)
  file(STRINGS "${WORK}/${CASE}/CMakeCache.txt" type REGEX "^CMAKE_BUILD_TYPE:")
  expect("${type}" "=Debug$")

elseif(CASE STREQUAL "unbuilt")
  # Where not everything is built that is installed, nothing is written, and one line says what to
  # build, which is what scripts/build product builds.
  configure("${SOURCE}" -DHEIST_LIBRARY_ONLY=ON)
  set(prefix "${WORK}/${CASE}/prefix")
  run_to_fail("${CMAKE_COMMAND}" --install "${WORK}/${CASE}" --prefix "${prefix}")
  expect("${output}" "libheist\\.a isn't built: cmake --build [^\n]* --target heist_product")
  if(EXISTS "${prefix}")
    message(FATAL_ERROR "half a prefix was left")
  endif()
  file(STRINGS "${SOURCE}/scripts/build" target REGEX "product\\) ")
  string(REGEX REPLACE ".*targets\\+=\\(([a-z_]+)\\).*" "\\1" target "${target}")
  run("${CMAKE_COMMAND}" --build "${WORK}/${CASE}" --target ${target} -- -n)
  expect("${output}" "libheist\\.a")
  expect("${output}" "libheist\\.so")

elseif(CASE STREQUAL "readme")
  # The README's first program, copied as it is.
  file(READ "${SOURCE}/README.md" text)
  string(REGEX MATCH "```cpp\n[^`]*```" block "${text}")
  string(REGEX REPLACE "^```cpp\n|```$" "" block "${block}")
  file(WRITE "${WORK}/readme.cpp" "${block}")
  ask_pkg_config(cflags --cflags heist)
  ask_pkg_config(libs --libs heist)
  separate_arguments(flags UNIX_COMMAND "${CXX_FLAGS}")
  run("${CXX}" -std=c++20 -O2 ${flags} ${cflags} "${WORK}/readme.cpp" -o "${WORK}/readme" ${libs})
  run("${WORK}/readme")
  expect("${output}" "^30000000\n30000000\n$")

elseif(CASE STREQUAL "sanitized_alike")
  # A program links only with a library that is sanitized in the same way; otherwise the linker
  # names the mistake.
  name_of_build(built "${SANITIZE}")
  separate_arguments(flags UNIX_COMMAND "${CXX_PLAIN_FLAGS}")
  set(program "${WORK}/sanitized")
  foreach(package IN LISTS PACKAGES)
    ask_pkg_config(cflags --cflags ${package})
    ask_pkg_config(libs --libs ${package})
    foreach(sanitizer "" address thread undefined "${SANITIZE}")
      name_of_build(wanted "${sanitizer}")
      set(sanitize)
      if(sanitizer)
        set(sanitize -fsanitize=${sanitizer})
      endif()
      set(line "${CXX}" -std=c++20 ${flags} ${sanitize} ${cflags} "${HERE}/consumer/fork.cpp" -o "${program}"
               ${libs} -Wl,--gc-sections "-Wl,-rpath,${PREFIX}/${LIBDIR}")
      if(wanted STREQUAL built)
        # A library that is also built with UndefinedBehaviorSanitizer calls its runtime, so the
        # program must have it.
        if(SANITIZE AND NOT sanitizer STREQUAL SANITIZE)
          continue()
        endif()
        run(${line})
        run("${program}")
      else()
        execute_process(COMMAND ${line} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
        if(status EQUAL 0 OR NOT text MATCHES "heist_v0_library_built_${wanted}")
          message(FATAL_ERROR "a program built ${wanted} and ${package} built ${built}: ${status}\n${text}")
        endif()
      endif()
    endforeach()
    if("${flags}" MATCHES "libc\\+\\+")
      continue()
    endif()
    # Nor with one for which the standard library's types have another layout.
    foreach(layout -D_GLIBCXX_DEBUG=for_debug_containers -D_GLIBCXX_USE_CXX11_ABI=0=for_old_strings)
      string(REGEX REPLACE "=(for_.*)$" "" option "${layout}")
      string(REGEX REPLACE "^.*=" "" wanted "${layout}")
      execute_process(COMMAND "${CXX}" -std=c++20 ${flags} ${option} ${cflags} "${HERE}/consumer/fork.cpp" -o "${program}"
                              ${libs} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
      if(status EQUAL 0 OR NOT text MATCHES "heist_v0_library_built_[a-z_]*_${wanted}")
        message(FATAL_ERROR "a program with ${option} and ${package}: ${status}\n${text}")
      endif()
    endforeach()
  endforeach()

elseif(CASE STREQUAL "deques_alone")
  # The deques need no library, sanitized or not.
  ask_pkg_config(cflags --cflags heist)
  separate_arguments(flags UNIX_COMMAND "${CXX_PLAIN_FLAGS}")
  foreach(sanitize "" -fsanitize=address -fsanitize=thread)
    run("${CXX}" -std=c++20 ${flags} ${sanitize} ${cflags} "${HERE}/consumer/deques.cpp" -o "${WORK}/deques")
    run("${WORK}/deques")
  endforeach()

elseif(CASE STREQUAL "command")
  run(${EMULATOR} "${PREFIX}/bin/heist" --version)
  if(NOT output MATCHES "${VERSION}")
    message(FATAL_ERROR "heist --version says ${output}, expected ${VERSION}")
  endif()
  # The commands of the other programs, which heist becomes.
  run("${PREFIX}/bin/heist" bench list)
  expect("${output}" "fork_join")
  run("${PREFIX}/bin/heist" theory bounds --dag figure1)
  expect("${output}" "Tinf")
  run("${PREFIX}/bin/heist" tbb --help)
  expect("${output}" "PROGRAM")

elseif(CASE STREQUAL "cluster")
  # The part that needs MPI is asked for by name, and the command finds its other half.
  consume(cluster "${PACKAGE_PLACE}")
  run("${PREFIX}/bin/heist" cluster nqueens --n 8)
  expect("${output}" "nqueens 8: 92 boards")

else()
  message(FATAL_ERROR "no such case: ${CASE}")
endif()
