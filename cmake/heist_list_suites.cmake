# cmake -DPROGRAM=... -DNAME=... -DPROPERTIES=... -DLIST=... -P heist_list_suites.cmake
#
# Writes LIST, which ctest reads: a test NAME.Suite for each suite of a program of GoogleTest's.

execute_process(COMMAND "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE told COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n[^ \n]+\\." suites "\n${told}") # a case's line begins with blanks
set(tests "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n(.*)\\.$" "\\1" suite "${suite}")
  string(APPEND tests "add_test([=[${NAME}.${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=])\n"
         # A suite is skipped where all its cases are. ctest takes a failure for one, too, if the text of a
         # failure fits: so no F may follow, of which FAILED has one.
         "set_tests_properties([=[${NAME}.${suite}]=] PROPERTIES SKIP_REGULAR_EXPRESSION [=[PASSED  . 0 tests[^F]*$]=] ${PROPERTIES})\n")
endforeach()
file(WRITE "${LIST}" "${tests}")
