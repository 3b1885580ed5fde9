// errno after a join that has moved the caller to another thread.
//
// The C library declares the function behind errno `const`: a compiler may keep the address that an
// earlier call has answered, since it takes the thread for the same. After a join it may be another
// one, and errno so kept is another thread's: `errno = 0; strtol(...); if (errno)` reads the wrong
// variable in silence. In files that include heist's headers errno is therefore read by a function
// about which the compiler knows nothing. HEIST_KEEP_ERRNO leaves errno as it is.
#pragma once

#include <cerrno>

#include "heist/detail/export.hpp"

namespace heist::inline v0::detail {

// Where the errno of the calling thread lies.
HEIST_API int* errno_now() noexcept;

}  // namespace heist::inline v0::detail

#if !defined(HEIST_KEEP_ERRNO)
#undef errno
#define errno (*::heist::detail::errno_now())
#endif
