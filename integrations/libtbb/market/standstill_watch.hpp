// The watch: a thread that looks for work that stands still, each millisecond while visits are held
// back (market.hpp).
//
// Roles. word_: asleep, asked, or running. begin() sets it to asked, under the market's lock; the
// watch sets it to asleep when nothing is held back any more. Between its look, which takes the
// market's lock, and that, begin() may have come: so the watch gives up by an exchange, and looks
// again if it was asked meanwhile.
#pragma once

#include "platform/park.hpp"

namespace heist::inline v0::libtbb {

class standstill_watch {
 public:
  // `look` is called each millisecond; false: the watch is over until the next begin().
  explicit standstill_watch(bool (*look)()) noexcept : look_(look) {}
  // Under the market's lock. Starts the thread at the first call, wakes it if it sleeps. False if
  // the system refuses the thread.
  [[nodiscard]] bool begin() noexcept;

 private:
  static constexpr std::uint32_t asleep = 0;
  static constexpr std::uint32_t running = 1;
  static constexpr std::uint32_t asked = 2;

  [[noreturn]] void run() noexcept;

  platform::park_word word_{asleep};
  bool has_thread_ = false;
  bool (*const look_)();
};

}  // namespace heist::inline v0::libtbb
