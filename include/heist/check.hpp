// Names for what HEIST_CHECK=1 reports. That environment variable makes heist look for waits that
// can never end; see docs/debugging.md.
//
//     heist::mutex accounts;
//     heist::set_name(accounts, "accounts");
#pragma once

#include <string_view>

#include "heist/detail/wait_checks.hpp"
#include "heist/future.hpp"

namespace heist::inline v0 {

// Gives a mutex, channel, latch or the like the name under which reports mention it. The name is
// copied; it is forgotten when another object is made at the same address. Thread-safe. Without
// HEIST_CHECK=1 it is a load and a branch. Where there is no memory for it, the object goes without
// a name.
template <class Object>
void set_name(const Object& object, std::string_view name) noexcept {
  if (detail::waits_are_checked()) detail::name_object(&object, name);
}

// The name of the result that this future stands for; it stays with the result when the future is
// moved. A future without a result is left alone.
template <class T>
void set_name(const future<T>& f, std::string_view name) noexcept {
  if (!detail::waits_are_checked() || !f.valid()) return;
  const detail::future_state& s = detail::future_access::state(f, "set_name");
  detail::name_object(&s, name);
}

}  // namespace heist::inline v0
