# cmake -D CXX=... -D INCLUDE=... -D HEADER=... -D BASE=... -D PERCENT=... -P header_cost.cmake
#
# Fails if HEADER has more than PERCENT of the preprocessed lines of BASE, without blank lines.

cmake_minimum_required(VERSION 3.25)

function(count_lines header result)
  execute_process(COMMAND "${CXX}" -std=c++20 -E -P ${INCLUDE} -x c++ -include ${header} /dev/null
                  OUTPUT_VARIABLE text ERROR_VARIABLE errors RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${errors}")
  endif()
  string(REGEX REPLACE "[^\n]+" "x" text "${text}")
  string(REGEX REPLACE "\n+" "" text "${text}")
  string(LENGTH "${text}" lines)
  set(${result} ${lines} PARENT_SCOPE)
endfunction()

count_lines(${HEADER} header)
count_lines(${BASE} base)
math(EXPR percent "100 * ${header} / ${base}")
message(STATUS "<${HEADER}> ${header} lines, <${BASE}> ${base} lines: ${percent} %, at most ${PERCENT} %")
if(percent GREATER PERCENT)
  message(FATAL_ERROR "<${HEADER}> costs too much")
endif()
