# Warnings and sanitizers for every target of this project. They are directory options, so that a
# new target has them automatically and a user of the library never sees them.

add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wshadow>")
if(HEIST_WERROR)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Werror>")
endif()

# The numbered invariants of the files' heads run (heist/detail/invariant.hpp).
option(HEIST_INVARIANTS "Check the numbered invariants at run time; on in builds for debugging and for the sanitizers" OFF)
if(HEIST_INVARIANTS OR HEIST_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_definitions(HEIST_CHECKS_INVARIANTS)
endif()

if(HEIST_SANITIZE)
  # These options are necessary for a program that links our objects; tests/install passes them to
  # its consumers too.
  set(HEIST_SANITIZE_FLAGS -fsanitize=${HEIST_SANITIZE} -fno-sanitize-recover=all
                           -fno-omit-frame-pointer)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${HEIST_SANITIZE_FLAGS}>")
  # g++ warns that its sanitizer does not support fences, on which nothing here relies. It also
  # takes an order for failure that is stronger than the one for success for an error, although
  # C++17 allows it.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND HEIST_SANITIZE MATCHES "thread")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan;-Wno-invalid-memory-model>")
  endif()
  add_link_options(${HEIST_SANITIZE_FLAGS})
endif()
