# Looks for an MPI, as HEIST_MPI says, and makes the target heist_mpi of it. Debian has Open MPI and MPICH beside each other,
# so the flags come from the chosen one's compiler wrapper. Without any, heist is built without heist::heist_cluster.
#
#   HEIST_MPI_USED     openmpi, mpich, or another name for what a wrapper without one belongs to; empty: none
#   HEIST_MPI_RUN      its mpirun
#   HEIST_MPI_MISSING  why there is none, for the command

set(HEIST_MPI auto CACHE STRING "The MPI of heist_cluster: auto, openmpi, mpich or off")
set_property(CACHE HEIST_MPI PROPERTY STRINGS auto openmpi mpich off)
if(NOT HEIST_MPI MATCHES "^(auto|openmpi|mpich|off)$")
  message(FATAL_ERROR " heist: HEIST_MPI is '${HEIST_MPI}': auto, openmpi, mpich or off")
endif()

# Cached results are those of the last choice.
if(NOT "${HEIST_MPI}" STREQUAL "${HEIST_MPI_LAST}")
  unset(HEIST_MPI_WRAPPER CACHE)
  unset(HEIST_MPI_RUN CACHE)
endif()
set(HEIST_MPI_LAST "${HEIST_MPI}" CACHE INTERNAL "")
set(HEIST_MPI_USED "")
set(HEIST_MPI_MISSING "libopenmpi-dev openmpi-bin")
if(HEIST_MPI STREQUAL "off" OR CMAKE_CROSSCOMPILING)
  return()
endif()

set(wrappers mpicc.openmpi mpicc.mpich mpicc)
if(NOT HEIST_MPI STREQUAL "auto")
  set(wrappers mpicc.${HEIST_MPI})
endif()
find_program(HEIST_MPI_WRAPPER NAMES ${wrappers} NAMES_PER_DIR)
mark_as_advanced(HEIST_MPI_WRAPPER)
if(NOT HEIST_MPI_WRAPPER)
  if(NOT HEIST_MPI STREQUAL "auto")
    message(FATAL_ERROR " heist: HEIST_MPI is ${HEIST_MPI}, but there is no mpicc.${HEIST_MPI}: scripts/setup cluster")
  endif()
  return()
endif()

execute_process(
  COMMAND "${HEIST_MPI_WRAPPER}" -show
  OUTPUT_VARIABLE shown
  RESULT_VARIABLE status
  OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT status EQUAL 0)
  if(NOT HEIST_MPI STREQUAL "auto")
    message(FATAL_ERROR " heist: ${HEIST_MPI_WRAPPER} -show failed: ${status}")
  endif()
  message(WARNING " heist: ${HEIST_MPI_WRAPPER} -show failed: ${status}; heist_cluster isn't built")
  set(HEIST_MPI_MISSING "an MPI whose mpicc works")
  return()
endif()
get_filename_component(wrapper_name "${HEIST_MPI_WRAPPER}" NAME)
string(REGEX REPLACE "^mpicc\\.?" "" HEIST_MPI_USED "${wrapper_name}")
if(HEIST_MPI_USED STREQUAL "")
  set(HEIST_MPI_USED mpi)
endif()
string(REPLACE mpicc mpirun runner_name "${wrapper_name}")
find_program(HEIST_MPI_RUN NAMES ${runner_name} mpirun NAMES_PER_DIR)
mark_as_advanced(HEIST_MPI_RUN)

# Only what finds headers and libraries: the wrappers' own taste in warnings and optimisation isn't ours.
add_library(heist_mpi INTERFACE)
separate_arguments(shown UNIX_COMMAND "${shown}")
foreach(flag IN LISTS shown)
  if(flag MATCHES "^-I(.+)$")
    target_include_directories(heist_mpi SYSTEM INTERFACE "${CMAKE_MATCH_1}")
  elseif(flag MATCHES "^-L(.+)$")
    target_link_directories(heist_mpi INTERFACE "${CMAKE_MATCH_1}")
  elseif(flag MATCHES "^-l|^-Wl,-rpath")
    target_link_libraries(heist_mpi INTERFACE "${flag}")
  endif()
endforeach()
target_compile_definitions(heist_mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
message(STATUS "heist: clusters with ${HEIST_MPI_WRAPPER}")
