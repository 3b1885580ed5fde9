# Provides GoogleTest for the tests: GTest::gtest_main, GTest::gmock and so on. It is the installed
# package, except in a cross build, for which the host's library does not fit: there it is built
# from the sources that Debian puts under /usr/src.

if(CMAKE_CROSSCOMPILING)
  set(HEIST_GTEST_SOURCE /usr/src/googletest CACHE PATH "Sources of GoogleTest, for cross builds")
  set(INSTALL_GTEST OFF)
  add_subdirectory("${HEIST_GTEST_SOURCE}" "${PROJECT_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL SYSTEM)
  foreach(target gtest gtest_main gmock gmock_main)
    target_compile_options(${target} PRIVATE -w)
    if(NOT TARGET GTest::${target})
      add_library(GTest::${target} ALIAS ${target})
    endif()
  endforeach()
else()
  find_package(GTest REQUIRED)
endif()
include(GoogleTest)

# Its headers and heist's are half of the time to compile a test, so they are precompiled once for all
# tests; the second set has no heist, for what includes its headers with other atomics (tests/model).
# Tests include what they use all the same; the header that a test is of comes first in it, and
# headers.alone compiles each by itself.
function(heist_precompile_for_tests target)
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/tests/${target}.cpp" CONTENT "// The precompiled headers alone.\n")
  add_library(${target} OBJECT "${PROJECT_BINARY_DIR}/tests/${target}.cpp")
  target_link_libraries(${target} PRIVATE heist::heist_static GTest::gmock GTest::gtest)
  heist_precompile(${target} <gmock/gmock.h> <gtest/gtest.h> ${ARGN})
endfunction()
heist_precompile_for_tests(heist_gtest <heist/heist.hpp> <algorithm> <chrono> <functional> <string> <thread> <vector>)
heist_precompile_for_tests(heist_gtest_alone)
