// Which thread runs the caller, after joins too. Not part of <heist/heist.hpp>, since <thread> is
// large.
#pragma once

#include <thread>

#include "heist/detail/errno.hpp"
#include "heist/detail/export.hpp"

namespace heist::inline v0 {

// As std::this_thread::get_id(), but never that of a thread on which the caller was before:
// compilers keep the answer of that function over a fork, a spawn or a wait, after which the thread
// may be another one. Thread-safe; costs a call.
[[nodiscard]] HEIST_API std::thread::id this_thread_id() noexcept;

}  // namespace heist::inline v0
