# Compiles a source, which must be refused with MESSAGE.

execute_process(
  COMMAND "${CXX}" ${FLAGS} ${INCLUDE} -fsyntax-only "${SOURCE}"
  RESULT_VARIABLE result
  ERROR_VARIABLE error)
if(result EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles")
endif()
if(NOT error MATCHES "${MESSAGE}")
  message(FATAL_ERROR "not refused with \"${MESSAGE}\":\n${error}")
endif()
