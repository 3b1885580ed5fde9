# Compile through ccache where it is installed, unless a launcher was chosen already.

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(HEIST_CCACHE ccache)
  mark_as_advanced(HEIST_CCACHE)
  if(HEIST_CCACHE)
    # The tests' precompiled header: without these words ccache compiles whatever uses one.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
                                    CCACHE_SLOPPINESS=pch_defines,time_macros "${HEIST_CCACHE}")
  endif()
endif()
