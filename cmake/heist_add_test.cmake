# heist_add_test(NAME source... [LIBRARIES library...] [PROPERTIES key value...] [WITHOUT_HEIST] [OPTIMIZED])
#
# Adds a test program made of GoogleTest sources. Of a program in tests/unit each suite becomes a ctest
# test called NAME.Suite, since a process for each case takes longer than most cases. Elsewhere, where a
# case may take minutes or an emulator runs it, each case is NAME.Suite.Case. Under a sanitizer, where a
# process takes longer to start, the program is a single test, NAME.
#
# Tests link the static library, because they use internals, which the shared one hides. WITHOUT_HEIST
# keeps heist's headers out of what is precompiled. Tests are compiled with -Og, in half of the time of
# -O2. Those whose subject depends on the optimiser are OPTIMIZED: forks and joins inlined in all ways,
# the platform, stress. The sources of the others are compiled four together; a source whose names others
# have is left out of that with SKIP_UNITY_BUILD_INCLUSION.

function(heist_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WITHOUT_HEIST;OPTIMIZED" "" "LIBRARIES;PROPERTIES")
  # The first folder below tests/ is a label of all tests there. It is a property of the directory,
  # because a test's own property cannot hold two labels after it has passed through
  # gtest_discover_tests.
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/tests" "${CMAKE_CURRENT_SOURCE_DIR}")
  string(REGEX REPLACE "/.*" "" folder "${folder}")
  set_property(DIRECTORY PROPERTY LABELS "${folder}")

  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${name} PRIVATE heist::heist_static ${arg_LIBRARIES} GTest::gmock GTest::gtest
                                        GTest::gtest_main)
  if(NOT arg_OPTIMIZED)
    # Four sources to an object take 0.6 of the time of four objects. What one of them has in its
    # unnamed namespace, another one may call a local variable; and g++ takes it for a header's.
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
    target_compile_options(${name} PRIVATE -Wno-shadow "$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>")
  endif()
  if(arg_WITHOUT_HEIST)
    target_precompile_headers(${name} REUSE_FROM heist_gtest_alone)
  else()
    target_precompile_headers(${name} REUSE_FROM heist_gtest)
  endif()
  heist_allow_precompiled(${name})
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT HEIST_SANITIZE AND NOT arg_OPTIMIZED)
    # With -Og g++ takes what std::regex and the like leave alone for uninitialised. It notes how g++ 4.6
    # has changed the passing of aligned elements.
    target_compile_options(${name} PRIVATE -Og "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-psabi>")
  endif()
  if(HEIST_SANITIZE)
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES TIMEOUT 1200 ${arg_PROPERTIES})
  elseif(folder STREQUAL "unit" AND NOT CMAKE_CROSSCOMPILING)
    heist_discover_suites(${name} ${arg_PROPERTIES})
  else()
    gtest_discover_tests(
      ${name}
      TEST_PREFIX "${name}."
      DISCOVERY_TIMEOUT 60
      PROPERTIES ${arg_PROPERTIES})
  endif()
endfunction()

# As gtest_discover_tests, by suites in place of cases.
function(heist_discover_suites name)
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake")
  add_custom_command(
    TARGET ${name}
    POST_BUILD
    COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:${name}>" -DNAME=${name} "-DPROPERTIES=${ARGN}" "-DLIST=${list}" -P
            "${PROJECT_SOURCE_DIR}/cmake/heist_list_suites.cmake"
    BYPRODUCTS "${list}"
    VERBATIM)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/${name}_tests.cmake"
       "include([=[${list}]=] OPTIONAL RESULT_VARIABLE built)\n"
       "if(NOT built)\n  add_test(${name}_NOT_BUILT ${name}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}_tests.cmake")
endfunction()

# Compiles a test with the optimiser even under a sanitizer.
function(heist_optimize_sanitized_test name)
  if(HEIST_SANITIZE)
    target_compile_options(${name} PRIVATE -O1)
    set_target_properties(${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON) # they are -O0's
  endif()
endfunction()

# heist_add_serial_test(NAME [gtest-filter])
#
# Runs the program of that name, or some of its tests, once more with every fork as a call. Under a sanitizer it is left
# out: one thread that makes calls has little for them to find, and takes as long.
function(heist_add_serial_test name)
  set(filter "*")
  if(ARGC GREATER 1)
    set(filter "${ARGV1}")
  endif()
  if(NOT HEIST_SANITIZE)
    add_test(NAME ${name}.serial COMMAND ${name} --gtest_brief=1 "--gtest_filter=${filter}")
    set_tests_properties(${name}.serial PROPERTIES ENVIRONMENT HEIST_SERIAL=1)
  endif()
endfunction()
