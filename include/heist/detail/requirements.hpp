// What heist needs from the compiler: where it is missing, the error is one line.
//
// An error alone doesn't end the compilation, and the hundreds that follow would hide it. A header
// that isn't there does end it, with g++ and with clang.
#pragma once

#if __cplusplus < 202002L
#error "heist needs C++20: compile with -std=c++20 or newer"
#include "no more of heist: see the error above"
#elif !defined(__cpp_exceptions)
#error "heist needs exceptions: compile without -fno-exceptions"
#include "no more of heist: see the error above"
#elif !defined(__STDCPP_THREADS__)
#error "heist needs threads: this compiler is configured without them"
#include "no more of heist: see the error above"
#endif
