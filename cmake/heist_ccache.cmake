# Compiles through ccache if it is installed, unless a launcher was chosen already.

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(HEIST_CCACHE ccache)
  find_program(HEIST_ENV env) # starts in a tenth of the time of cmake -E env
  mark_as_advanced(HEIST_CCACHE HEIST_ENV)
  if(HEIST_CCACHE AND HEIST_ENV)
    # Without the sloppiness ccache does not cache sources that use the tests' precompiled header.
    # The other two let several checkouts share the objects.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${HEIST_ENV}" CCACHE_SLOPPINESS=pch_defines,time_macros
        "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=true "${HEIST_CCACHE}")
  endif()
endif()
