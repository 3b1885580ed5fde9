// What valgrind must be told, in builds that have its header: nothing else of it is needed, and
// without valgrind these are a few instructions that do nothing. A build without the header works
// too, but valgrind takes a switch between stacks that lie close to each other for a large frame,
// and reports what is not there.
#pragma once

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define HEIST_HAS_VALGRIND 1
#else
#define HEIST_HAS_VALGRIND 0
#endif

namespace heist::inline v0::platform {

[[nodiscard]] inline bool runs_under_valgrind() noexcept {
#if HEIST_HAS_VALGRIND
  return RUNNING_ON_VALGRIND != 0;
#else
  return false;
#endif
}

// There is a stack in [base, top) from now on; returns valgrind's number for it.
[[nodiscard]] inline unsigned tell_valgrind_of_stack([[maybe_unused]] const void* base,
                                                     [[maybe_unused]] const void* top) noexcept {
#if HEIST_HAS_VALGRIND
  return static_cast<unsigned>(VALGRIND_STACK_REGISTER(base, top));
#else
  return 0;
#endif
}
inline void tell_valgrind_of_its_end([[maybe_unused]] unsigned stack) noexcept {
#if HEIST_HAS_VALGRIND
  VALGRIND_STACK_DEREGISTER(stack);
#endif
}

}  // namespace heist::inline v0::platform
