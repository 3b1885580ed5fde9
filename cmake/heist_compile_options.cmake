# Warnings and sanitizers for every target of this project: directory options, so that a new target
# has them without asking and a user of the library never sees them.

add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wshadow>")
if(HEIST_WERROR)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Werror>")
endif()

if(HEIST_SANITIZE)
  # What a program needs that links our objects; tests/install gives these to its consumers too.
  set(HEIST_SANITIZE_FLAGS -fsanitize=${HEIST_SANITIZE} -fno-sanitize-recover=all
                           -fno-omit-frame-pointer)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${HEIST_SANITIZE_FLAGS}>")
  # It says that it knows no fences, on which nothing here relies, and takes a failure's stronger order, as C++17 has it, for wrong.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND HEIST_SANITIZE MATCHES "thread")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan;-Wno-invalid-memory-model>")
  endif()
  add_link_options(${HEIST_SANITIZE_FLAGS})
endif()
