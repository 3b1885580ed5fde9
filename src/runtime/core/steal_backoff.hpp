// When a worker stops asking others for work: after it has found only crumbs.
//
// A request costs its owner the slow path of a fork, and what is stolen a slow join: many times
// what a fork takes. A job that ends sooner than these was not worth its steal. A worker that meets
// only such jobs, or is woken and finds nothing, takes naps between its searches: it sleeps for a
// short time without being announced as a sleeper, so that no push is asked to wake it. Jobs that
// were worth their steals end this.
//
// Bounds. Work waits for a worker that holds back for one nap at most, two if its owner is in a
// long leaf, and only after steals of which most were disappointments. Where there are only crumbs,
// a worker disturbs others once a nap. After max_naps in which it found nothing it sleeps as others
// do, so an idle pool stays idle.
//
// Source: heartbeat scheduling (Acar, Charguéraud, Guatto, Rainey, Sieczkowski, 2018) bounds what
// making work available costs by making it available once in a while; here the thief keeps the
// time, since an unstolen fork has none to spare, and only while its steals are not worth it.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>

#include "heist/detail/local.hpp"
#include "heist/detail/parallel/pace.hpp"

namespace heist::inline v0::detail {

// One worker's. Used by its own thread only.
class steal_backoff {
 public:
  // It holds back when so many of its last `remembered` steals were disappointments.
  static constexpr unsigned remembered = 8;
  static constexpr int patience = 6;
  static constexpr unsigned max_naps = 8;
  // A request that was answered with work that is gone again may have served another thief, so
  // many of them make one disappointment.
  static constexpr unsigned requests_per_disappointment = 16;

  // How long a nap lasts in a pool of so many workers: all of them together disturb an owner no
  // more often in a large pool than in a small one.
  [[nodiscard]] static std::chrono::microseconds nap(unsigned workers) noexcept {
    return std::clamp(std::chrono::microseconds(128) * workers, std::chrono::microseconds(256),
                      std::chrono::microseconds(1024));
  }

  // It begins a job that it has stolen; its joins have waited so often until now.
  void begin_job(std::uint64_t now, std::uint64_t waits) noexcept {
    began_ = now;
    waits_ = waits;
  }
  // It looks for work again before that job has returned. Unless a join has waited meanwhile, the
  // job was a scope's rest, which another thread has stolen in turn: then it doesn't return here,
  // and what has been run of it is what the steal was worth.
  void come_back(std::uint64_t waits) noexcept {
    const std::uint64_t began = began_;
    if (began != 0 && waits == waits_) note_job(ticks() - began, false);
  }
  // A job that was stolen has run for so many ticks(). `has_waited`: not all of that time was its
  // own, so only a long one says something.
  void note_job(std::uint64_t took, bool has_waited) noexcept {
    const std::uint64_t worthwhile = ticks_per_chunk();
    naps_ = 0;
    began_ = 0;
    if (took >= 16 * worthwhile)
      history_ = history_ << 3U & all;
    else if (!has_waited)
      remember(took < worthwhile);
  }
  // It was woken, and found nothing.
  void note_useless_wake() noexcept { remember(true); }
  // The victim had answered its last request, and the work is gone.
  void note_useless_request() noexcept {
    requests_ = requests_ + 1;
    if (requests_ % requests_per_disappointment == 0) remember(true);
  }

  [[nodiscard]] bool holds_back() const noexcept {
    return std::popcount(history_.get()) >= patience;
  }
  // False: it has taken enough of them, and should go to sleep.
  [[nodiscard]] bool may_nap() noexcept {
    if (naps_ == max_naps) return false;
    naps_ = naps_ + 1;
    return true;
  }
  // Work has waited all through a nap: its owner blocks.
  void note_standstill() noexcept { history_ = 0; }
  // It goes to sleep.
  void forget_naps() noexcept { naps_ = 0; }

 private:
  void remember(bool disappointment) noexcept {
    history_ = (history_ << 1U | (disappointment ? 1U : 0U)) & all;
  }

  static constexpr unsigned all = (1U << remembered) - 1;

  local<unsigned> history_{0};  // a bit for each of the last steals, set for a disappointment
  local<unsigned> requests_{0};
  local<unsigned> naps_{0};        // in a row
  local<std::uint64_t> began_{0};  // when it began what it stole last; 0: that has ended
  local<std::uint64_t> waits_{0};
};

}  // namespace heist::inline v0::detail
