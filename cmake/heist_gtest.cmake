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

# Its headers are a third of the time to compile a test, so they are precompiled once for all tests.
# The precompiled header contains nothing of heist, so a test that does not include what it uses
# still fails.
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/tests/heist_gtest.cpp" CONTENT "// The precompiled header alone.\n")
add_library(heist_gtest OBJECT "${PROJECT_BINARY_DIR}/tests/heist_gtest.cpp")
target_link_libraries(heist_gtest PRIVATE GTest::gmock GTest::gtest)
target_precompile_headers(heist_gtest PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
# The precompiled header contains no time of day, so that ccache recognises an equal one.
target_compile_options(heist_gtest PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
