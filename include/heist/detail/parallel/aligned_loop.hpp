// Where a loop of few instructions begins in memory.
//
// A loop of four instructions that lies across two lines of the instruction cache can take twice as
// long as one that lies in one (bench/README.md has the figures), and the linker decides which it
// is. HEIST_ALIGNED_LOOP stands before the for statement of a chunk, whose iterations the program
// gives: it makes the code that follows begin a line. This costs a few no-operations for each
// chunk, and no iteration anything.
#pragma once

#include "heist/detail/requirements.hpp"

#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(clang::code_align)
#define HEIST_ALIGNED_LOOP [[clang::code_align(64)]]
#endif
#endif
#ifndef HEIST_ALIGNED_LOOP
#define HEIST_ALIGNED_LOOP asm volatile(".p2align 6");
#endif
