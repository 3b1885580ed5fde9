# cmake -D CXX=... -D INCLUDE=... -D HEADERS=... -D FLAGS=... -D MESSAGE=... -P refusal.cmake
#
# Every header, compiled with flags that heist does not support, must say so in one line and stop
# there. There may be no other error except the one about the file that stops the compiler.

cmake_minimum_required(VERSION 3.25)

foreach(header IN LISTS HEADERS)
  execute_process(COMMAND "${CXX}" ${FLAGS} ${INCLUDE} -fsyntax-only -x c++ -include ${header} /dev/null
                  OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE status)
  string(REGEX MATCHALL "[^\n]* error: [^\n]*" errors "${text}")
  list(LENGTH errors count)
  if(status EQUAL 0 OR NOT count EQUAL 2 OR NOT errors MATCHES "^[^;]*${MESSAGE}")
    message(SEND_ERROR "<${header}> with ${FLAGS} doesn't say only \"${MESSAGE}\":\n${text}")
  endif()
endforeach()
