// Who goes next: the rule by which a worker chooses among what it could begin or resume.
//
// The usual order is that of throughput: what is near and was begun first.
//
//   1  the own deque: the rest of a spawner, and forks            the fiber that runs
//   2  loot of a batched steal; fibers that only this worker may resume (mail)     own_turns
//   3  the pool's entry: fibers that can continue, then forks that their fibers left behind, then
//      roots by priority (root_queue.hpp)                         entry_turns
//   4  what is stolen from other workers
//
// It alone would starve: two fibers that hand each other turns are always ready. So each level has
// a bound against all others.
//
//   T1  At the entry a level that has something is passed over at most 60 times before it is due,
//       and roots of which one is urgent (priority::high, or a thread outside waits for it) 6
//       times: 1 ms, if nobody runs for more than 100 us without a wait. Where several levels are
//       due an urgent root is first, then the level that was passed over most often; so a bound is
//       exceeded by at most the number of levels. Each worker counts its own turns at what it takes
//       from here: its lane, that of threads outside, and roots (injection.hpp).
//   T2  After `bound` turns in a row from loot and mail a worker looks at the entry first, and
//       after `bound` from the entry at other workers, except with a turn of T3: at their lanes
//       of the entry, each of them in turn, then at their deques. So what is first in the lane of
//       a worker that runs on and on waits for at most `bound` turns of another worker for each
//       lane that isn't empty.
//   T3  A worker whose function doesn't wait looks at nothing. When an urgent root comes and no
//       worker sleeps, all are asked by the word that thieves ask by (limit in split_control.hpp),
//       and the next fork, spawn or chunk of any of them gives its turn to the root (give_turn). A
//       call from outside asks a worker that has just begun another one only after 4 ms: calls that
//       come in crowds are mostly short. A model: tests/model/request_models.cpp.
//   T4  A guest runs nothing but its own call. While roots are due and none of the pool's own
//       threads runs, it gives up its seat.
//
// The rule counts turns and reads no clock: a function that runs is never interrupted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "heist/detail/local.hpp"

namespace heist::inline v0::detail {

// What a pool's entry holds.
enum class entry_level : std::uint8_t { resumed, left_behind, root, none };

// After how many turns in a row that others had a level is due. A seam: tests leave one out.
struct entry_bounds {
  static constexpr std::array<unsigned, 3> of_level{60, 60, 60};  // 64 with others that are due
  static constexpr unsigned of_urgent_root = 6;
};

// T1. Of a worker; its own thread uses it. Count: a seam, tests copy the whole.
template <class Bounds, class Count = unsigned>
class basic_entry_turns {
 public:
  static constexpr unsigned levels = 3;

  struct waiting {
    bool resumed;
    bool left_behind;
    bool root;
    bool is_urgent;    // one of the roots
    bool roots_first;  // before forks that were left behind
  };

  // The level that is served now; none: nothing waits.
  entry_level choose(const waiting& w) noexcept {
    if (!w.left_behind && !(w.resumed && w.root)) {  // as usual, only one
      for (Count& passed : passed_over_) passed = 0;
      return w.resumed ? entry_level::resumed : w.root ? entry_level::root : entry_level::none;
    }
    const std::array<bool, levels> has{w.resumed, w.left_behind, w.root};
    unsigned served = due(has, w.is_urgent);
    if (served == levels) served = usual(has, w.roots_first);
    for (unsigned l = 0; l < levels; ++l) {
      if (l == served || !has[l])
        passed_over_[l] = 0;
      else
        pass_over(l);
    }
    return static_cast<entry_level>(served);
  }

  // The root that was served wasn't urgent, and one that waits is: it is due at once.
  void keep_urgent_due() noexcept { passed_over_[root] = Bounds::of_urgent_root; }

  // Whether roots have been passed over as often as they may be.
  [[nodiscard]] bool root_is_due(bool is_urgent) const noexcept {
    return is_due(root) || (is_urgent && passed_over_[root] >= Bounds::of_urgent_root);
  }
  // Somebody who takes no roots was served.
  void note_root_passed_over() noexcept { pass_over(root); }

 private:
  static constexpr auto root = static_cast<std::size_t>(entry_level::root);

  void pass_over(std::size_t l) noexcept { passed_over_[l] = passed_over_[l] + 1; }
  [[nodiscard]] bool is_due(std::size_t l) const noexcept {
    return passed_over_[l] >= Bounds::of_level[l];
  }
  [[nodiscard]] unsigned due(const std::array<bool, levels>& has, bool is_urgent) const noexcept {
    if (has[root] && is_urgent && root_is_due(true)) return root;
    unsigned most = levels;
    for (unsigned l = 0; l < levels; ++l)
      if (has[l] && is_due(l) && (most == levels || passed_over_[l] > passed_over_[most])) most = l;
    return most;
  }
  [[nodiscard]] static unsigned usual(const std::array<bool, levels>& has,
                                      bool roots_first) noexcept {
    if (has[0]) return 0;
    if (roots_first && has[root]) return root;
    for (unsigned l = 1; l < levels; ++l)
      if (has[l]) return l;
    return levels;
  }

  std::array<Count, levels> passed_over_{};
};
using entry_turns = basic_entry_turns<entry_bounds, local<unsigned>>;

// T2. Of a worker; its own thread uses it.
class worker_turns {
 public:
  static constexpr unsigned bound = 60;

  // Whether loot and mail go before the entry, and the entry before other workers.
  [[nodiscard]] bool own_first() const noexcept { return own_ < bound; }
  [[nodiscard]] bool entry_first() const noexcept { return entry_ < bound; }

  // To be called before each turn, and with each look that found nothing.
  void note_own() noexcept { own_ = own_ + 1; }
  void note_entry() noexcept {
    own_ = 0;
    entry_ = entry_ + 1;
  }
  void note_others() noexcept { entry_ = 0; }

 private:
  local<unsigned> own_{0};
  local<unsigned> entry_{0};
};

}  // namespace heist::inline v0::detail
