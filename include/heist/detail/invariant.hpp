// HEIST_INVARIANT("file.hpp I1", condition): a promise that the head of that file numbers, where it
// can be seen to hold. Checked where HEIST_CHECKS_INVARIANTS is defined, as it is in the builds for
// debugging and for the sanitizers; elsewhere the condition is compiled and never evaluated.
//
// The condition may read what the caller may read at that place, and change nothing.
#pragma once

#include "heist/detail/requirements.hpp"

#if defined(HEIST_CHECKS_INVARIANTS)

#include <cstdio>
#include <cstdlib>

namespace heist::inline v0::detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void invariant_is_broken(const char* id,
                                                                       const char* condition,
                                                                       const char* file,
                                                                       int line) noexcept {
  std::fprintf(stderr, "heist: %s:%d: %s does not hold: %s\n", file, line, id, condition);
  std::abort();
}

}  // namespace heist::inline v0::detail

#define HEIST_INVARIANT(id, ...) \
  ((__VA_ARGS__) ? void(0)       \
                 : ::heist::detail::invariant_is_broken(id, #__VA_ARGS__, __FILE__, __LINE__))

#else

#define HEIST_INVARIANT(id, ...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))

#endif
