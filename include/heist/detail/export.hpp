// For every header whose functions lie in the library: HEIST_API, and a check that the library is
// built as the program is.
//
// A sanitizer has to be told of every switch between fibers, which the library does if it is built
// with that sanitizer. A sanitized program with a plain library would get false reports. And where
// the standard library's types are laid out in another way, the two would take one another's
// members for something else. So such a program doesn't link: its objects refer to a symbol that is
// defined only in a library built in the same way, and the linker names it. The reverse holds too.
// The reference lies in one constant that nobody reads.
#pragma once

#include <version>  // which standard library, and how its types are laid out

#include "heist/detail/requirements.hpp"
#include "heist/detail/sanitizers.hpp"
#include "heist/detail/visibility.hpp"

#if HEIST_TSAN
#define HEIST_BUILT_HOW heist_v0_library_built_with_thread_sanitizer
#elif HEIST_ASAN
#define HEIST_BUILT_HOW heist_v0_library_built_with_address_sanitizer
#else
#define HEIST_BUILT_HOW heist_v0_library_built_without_sanitizer
#endif
#if defined(_LIBCPP_VERSION)
#define HEIST_BUILT_FOR _for_libcxx
#elif defined(_GLIBCXX_DEBUG)
#define HEIST_BUILT_FOR _for_debug_containers
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define HEIST_BUILT_FOR _for_old_strings
#else
#define HEIST_BUILT_FOR
#endif
#define HEIST_JOINED_TEXT(a, b) a##b
#define HEIST_JOINED(a, b) HEIST_JOINED_TEXT(a, b)
#define HEIST_BUILT HEIST_JOINED(HEIST_BUILT_HOW, HEIST_BUILT_FOR)

extern "C" HEIST_API const char HEIST_BUILT;

namespace heist::inline v0::detail::needed {

// Linkers that drop unused sections keep it. Its name differs as the symbol's does, since of inline
// variables with one name the linker takes any.
HEIST_KEPT HEIST_HIDDEN inline const char* const HEIST_BUILT = &::HEIST_BUILT;

}  // namespace heist::inline v0::detail::needed
