// What a loop asks the runtime: how many workers could help, and whether one wants to.
#include "heist/detail/bad_range.hpp"
#include "heist/detail/parallel/split_loop.hpp"

#include <string>

#include "heist/error.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

unsigned workers_outside() { return serial_elision() ? 1 : 0; }

bool wants_work() noexcept {
  worker* const w = this_worker();
  const control& c = current_control();
  if (w != nullptr && w->lock_checks != nullptr) [[unlikely]]
    w->lock_checks->look("across a loop");
  if (w == nullptr || w->alone || c.depth() >= c.capacity) return false;  // a fork would be a call
  // A request that is seen late is answered by the next chunk. Under stats_kind::full the limit is
  // passed without one.
  if (w->log != nullptr) return true;  // measured: the loop shows all its parallelism
  return w->uses_split() ? c.is_asked() : w->forks->is_empty();
}

namespace {

std::string name_of(endpoint e) {
  return e.is_signed ? std::to_string(static_cast<long long>(e.bits)) : std::to_string(e.bits);
}

}  // namespace

void throw_bad_range(const char* who, endpoint first, endpoint last) {
  std::string text =
      std::string(who) + ": there is no range from " + name_of(first) + " to " + name_of(last);
  if (first.is_signed && static_cast<std::int64_t>(first.bits) < 0 && !last.is_signed)
    text += ": the index has their common type, which is unsigned, so " + name_of(first) +
            " would be its largest number or near it";
  throw usage_error(text);
}

void throw_no_step(const char* who) {
  throw usage_error(std::string(who) + ": a step of 0: the index would never reach the end");
}

void throw_too_many() {
  throw usage_error("heist: an algorithm was given a range of 2^64 elements or more");
}

}  // namespace heist::inline v0::detail
