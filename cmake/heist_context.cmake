# Chooses the context switch: assembly where it exists, Boost.Context elsewhere, or on request, in
# order to test it. Sets HEIST_CONTEXT_USED.

set(HEIST_CONTEXT "auto" CACHE STRING "Context switch: auto, x86_64, x86_64_windows, aarch64 or boost")
set_property(CACHE HEIST_CONTEXT PROPERTY STRINGS auto x86_64 x86_64_windows aarch64 boost)

set(HEIST_CONTEXT_USED "${HEIST_CONTEXT}")
if(HEIST_CONTEXT STREQUAL "auto")
  if(WIN32)
    set(HEIST_CONTEXT_USED x86_64_windows)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(HEIST_CONTEXT_USED x86_64)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(HEIST_CONTEXT_USED aarch64)
  else()
    set(HEIST_CONTEXT_USED boost)
  endif()
endif()

if(HEIST_CONTEXT_USED STREQUAL "boost")
  find_package(Boost 1.74 REQUIRED COMPONENTS context)
endif()
