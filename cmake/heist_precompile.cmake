# heist_precompile(TARGET HEADER...)
#
# Compiles headers that most sources of a target include only once. Sources include what they use all
# the same: the preset clang14-release goes without, and a source that forgets an include fails there.
# A project that takes heist in has settings of its own (ccache needs some), so it goes without too.
function(heist_precompile target)
  if(PROJECT_IS_TOP_LEVEL)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    heist_allow_precompiled(${target})
  endif()
endfunction()

# What compilers need to be told about precompiled headers.
function(heist_allow_precompiled target)
  # g++ 12 forgets that precompiled headers are the system's, and shows its false alarms in strings.
  target_compile_options(
    ${target} PRIVATE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>")
  # It contains no time of day, so that ccache recognises an equal one.
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

# heist_reuse_precompiled(TARGET [COOL])
#
# For what prints and reads: its targets share one set of headers, which has nothing of heist, and
# the option that makes what they compute the same on every processor: no multiplication and
# addition in one rounding, which a compiler may choose on AArch64. What is COOL runs for milliseconds
# and is compiled with -O1, in two thirds of the time.
function(heist_reuse_precompiled target)
  if(NOT TARGET heist_precompiled)
    file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/heist_precompiled.cpp" CONTENT "// The precompiled headers alone.\n")
    add_library(heist_precompiled OBJECT "${PROJECT_BINARY_DIR}/heist_precompiled.cpp")
    target_link_libraries(heist_precompiled PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
    target_compile_options(heist_precompiled PRIVATE -ffp-contract=off)
    target_compile_features(heist_precompiled PUBLIC cxx_std_20)
    heist_precompile(heist_precompiled <algorithm> <chrono> <functional> <memory> <optional> <string> <variant> <vector>
                     <fmt/format.h> <nlohmann/json.hpp>)
  endif()
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if("COOL" IN_LIST ARGN)
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-O1>")
  endif()
  if(PROJECT_IS_TOP_LEVEL)
    target_precompile_headers(${target} REUSE_FROM heist_precompiled)
    heist_allow_precompiled(${target})
  endif()
endfunction()

# heist_compile_together(TARGET GROUP source...)
#
# One object of sources of the calling directory whose names don't meet, and which mean together what
# each means alone: docs/building.md; .ci/run groups looks whether it is so.
function(heist_compile_together target group)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
endfunction()
