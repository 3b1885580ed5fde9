// A switch between two reads of every callee-saved register. C++ cannot choose the register of a
// value, so this is assembly, with one form for each processor for which there is a context_*.S.
#pragma once

#include <array>
#include <cstdint>

namespace heist_test {

#if defined(__x86_64__) && defined(_WIN32)
#define HEIST_TEST_REGISTER_PROBE 1
inline constexpr std::size_t probed_registers = 28;  // rbx rbp rdi rsi r12-r15, xmm6-15 by halves
#elif defined(__x86_64__)
#define HEIST_TEST_REGISTER_PROBE 1
inline constexpr std::size_t probed_registers = 6;  // rbx rbp r12 r13 r14 r15
#elif defined(__aarch64__)
#define HEIST_TEST_REGISTER_PROBE 1
inline constexpr std::size_t probed_registers = 19;  // x19-x29 d8-d15
#else
inline constexpr std::size_t probed_registers = 1;
#endif

using register_values = std::array<std::uint64_t, probed_registers>;

}  // namespace heist_test

// Loads `put` into the callee-saved registers, switches as heist_v0_context_switch does, and after
// the switch back stores the registers to `found`. Returns the payload.
extern "C" void* heist_test_probe_switch(void** from_sp, void* to_sp, void* payload,
                                         const std::uint64_t* put, std::uint64_t* found);
