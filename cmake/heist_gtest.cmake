# GoogleTest for the tests: GTest::gtest_main, GTest::gmock and friends. The installed package; in a
# cross build, which the host's library does not fit, the sources that Debian puts under /usr/src.

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
