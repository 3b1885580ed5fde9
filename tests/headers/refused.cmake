# cmake -D CXX=... -D INCLUDE=... -D SOURCE=... -D MESSAGE=... -P refused.cmake
#
# Fails unless SOURCE compiles with INTEGER=long, and with INTEGER=__int128 is refused with MESSAGE.

cmake_minimum_required(VERSION 3.25)

foreach(integer IN ITEMS long __int128)
  execute_process(COMMAND "${CXX}" -std=gnu++20 -fsyntax-only ${INCLUDE} -DINTEGER=${integer} "${SOURCE}"
                  OUTPUT_QUIET ERROR_VARIABLE errors RESULT_VARIABLE status)
  if(integer STREQUAL "long")
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "long is refused too:\n${errors}")
    endif()
  elseif(status EQUAL 0)
    message(FATAL_ERROR "__int128 isn't refused")
  elseif(NOT errors MATCHES "${MESSAGE}")
    message(FATAL_ERROR "refused without the words '${MESSAGE}':\n${errors}")
  endif()
endforeach()
