# Warnings and sanitizers for every target of this project. They are directory options, so that a
# new target has them automatically and a user of the library never sees them.

add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wshadow>")
if(HEIST_WERROR)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Werror>")
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
