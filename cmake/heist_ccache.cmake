# Compile through ccache where it is installed, unless a launcher was chosen already.

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(HEIST_CCACHE ccache)
  mark_as_advanced(HEIST_CCACHE)
  if(HEIST_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${HEIST_CCACHE}")
  endif()
endif()
