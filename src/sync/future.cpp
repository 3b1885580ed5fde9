#include "heist/future.hpp"

#include <string>

#include "heist/error.hpp"

namespace heist::inline v0::detail {

void future_state::wait() {
  if (is_ready()) return;
  const void* const maker = maker_.load(std::memory_order_relaxed);
  if (maker != nullptr && maker == current_fiber())
    throw usage_error("future: a function waits for its own result");
  struct waiting : continuation {
    wait_point point{};
  };
  waiting me{{[](continuation& c) noexcept { static_cast<waiting&>(c).point.end(); }}};
  if (attach(me)) me.point.wait();
}

void throw_no_result(const char* member) {
  throw usage_error(std::string("future::") + member +
                    ": no result belongs to it; it was taken, moved away, or never there");
}

}  // namespace heist::inline v0::detail
