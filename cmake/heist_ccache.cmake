# Compiles through ccache if it is installed, unless a launcher was chosen already.

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(HEIST_CCACHE ccache)
  mark_as_advanced(HEIST_CCACHE)
  if(HEIST_CCACHE)
    # Without the sloppiness ccache does not cache sources that use the tests' precompiled header.
    # The other two let several checkouts share the objects.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros
        "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=true "${HEIST_CCACHE}")
  endif()
endif()
