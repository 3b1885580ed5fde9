// For every header whose functions lie in the library: HEIST_API, and a check that the library is
// sanitized as the program is.
//
// A sanitizer has to be told of every switch between fibers, which the library does if it is built
// with that sanitizer. A sanitized program with a plain library would get false reports, so it
// doesn't link: its objects refer to a symbol that is defined only in a library built in the same
// way, and the linker names it. The reverse holds too. The reference lies in one constant that
// nobody reads.
#pragma once

#include "heist/detail/requirements.hpp"
#include "heist/detail/sanitizers.hpp"
#include "heist/detail/visibility.hpp"

#if HEIST_TSAN
#define HEIST_BUILT heist_v0_library_built_with_thread_sanitizer
#elif HEIST_ASAN
#define HEIST_BUILT heist_v0_library_built_with_address_sanitizer
#else
#define HEIST_BUILT heist_v0_library_built_without_sanitizer
#endif

extern "C" HEIST_API const char HEIST_BUILT;

namespace heist::inline v0::detail::needed {

// Linkers that drop unused sections keep it. Its name differs as the symbol's does, since of inline
// variables with one name the linker takes any.
HEIST_KEPT HEIST_HIDDEN inline const char* const HEIST_BUILT = &::HEIST_BUILT;

}  // namespace heist::inline v0::detail::needed
