# Compiles through ccache if it is installed, unless a launcher was chosen already.

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(HEIST_CCACHE ccache)
  mark_as_advanced(HEIST_CCACHE)
  if(HEIST_CCACHE)
    # Without these settings ccache does not cache sources that use the tests' precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
                                    CCACHE_SLOPPINESS=pch_defines,time_macros "${HEIST_CCACHE}")
  endif()
endif()
