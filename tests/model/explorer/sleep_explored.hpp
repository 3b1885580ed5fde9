// An owner that pushes without a fence, and thieves that sleep when they find nothing, for the
// explorer.
//
// The deque and the counting of sleepers are the library's (split_control.hpp, sleepers.hpp). The
// code between them, pool_impl's and loop.cpp's steps with one victim, is rewritten here, in
// functions of the same names. The owner pushes and pops for a number of steps, or enters a leaf
// that never ends; it also ends when it would have to wait for a stolen item. A thief searches,
// exposes and sleeps in any order, without end or for a number of steps; it takes one item and
// keeps it for ever. At the end every thread has ended or sleeps, and
//   - no thread may sleep while there is an item that nobody has taken, even if others are awake,
//   - the count of sleepers is the number of sleeping threads, and no token is left (S3, S5).
// There is no mail, and no spurious wake-up of the futex: tests/model/sleep_suite.hpp has both.
#pragma once

#include <cstring>
#include <optional>

#include "heist/deque/split_control.hpp"
#include "runtime/core/sleepers.hpp"
#include "tests/model/explorer/explorer.hpp"
#include "tests/model/explorer/seam.hpp"

namespace heist_explorer {

struct sleep_plan {
  struct part {
    unsigned steps;
    const char* may;
    const char* first = "";  // these steps come before the free ones
  };
  static constexpr unsigned for_ever = ~0u;

  const char* name;
  part owner;  // p push, o pop, l the leaf without an end
  std::array<part, 2>
      thieves;  // s search, e expose, z sleep; without steps: there is no such thief
  unsigned capacity = 4;

  [[nodiscard]] unsigned threads() const { return thieves[1].steps == 0 ? 2 : 3; }
};

class sleep_explored {
 public:
  // What a thief is about to do. Longer operations are cut where it keeps nothing in between.
  enum class phase : std::uint8_t {
    free,
    passing_on,
    helping,
    exposing,
    asking,
    looking,
    giving_up,
    waiting
  };

  struct own_state {
    std::uint8_t steps;
    std::uint8_t depth;
    phase now;
  };
  struct shared_state {
    std::uint8_t taken;  // how many items, by anybody
    std::uint8_t pushed;
  };
  using state = node<own_state, shared_state>;

  explicit sleep_explored(const sleep_plan& plan, memory kind = memory::tso) : plan_(plan) {
    the_machine().reset(kind, plan.threads());
    control_.emplace(plan.capacity, places.data(), plan.capacity);
    sleepers_.emplace();
    the_machine().name_cells({"head", "seat", "word", "word", "limit", "counts", "epoch"});
  }

  bool operate(unsigned thread, own_state& me, shared_state& all) {
    return thread == 0 ? owner(me, all) : thief(plan_.thieves[thread - 1], me, all);
  }

  const char* broken(const state& s) const {
    const control::state w = word_of(s);
    return w.tail <= w.split && w.split <= w.bound ? nullptr : "I1: tail <= split <= bound";
  }

  const char* wrong_end(const state& s) const {
    unsigned parked = 0;
    for (unsigned t = 0; t < plan_.threads(); ++t) {
      if (s.machine.threads[t].is == status::running) return "somebody is stuck";
      if (s.machine.threads[t].is == status::parked) ++parked;
    }
    const unsigned head = s.machine.cells[control_->head.cell()];
    const unsigned tail = word_of(s).tail;
    const unsigned left = head > tail ? head - tail : 0;
    if (left + s.shared.taken != s.shared.pushed) return "I2: an item is lost, or taken twice";
    if (left != 0 && parked != 0) return "somebody sleeps beside an item";
    const value counts = s.machine.cells[counts_cell];
    if ((counts & 0xff) != 0) return "S5: a token is left";
    return counts >> 8 == parked ? nullptr : "S3: the count isn't that of the sleepers";
  }

 private:
  using control = heist::deque::split_control<explored_atomics, 1>;
  static constexpr unsigned counts_cell = 5;

  control::state word_of(const state& s) const {
    const unsigned cell = control_->word.cell();
    return explored_word<control::state>::state_of(s.machine.cells[cell],
                                                   s.machine.cells[cell + 1]);
  }

  // The next step of a part; for a part without end the count does not change.
  static char next(const sleep_plan::part& part, own_state& me) {
    const unsigned step = me.steps;
    const auto first = static_cast<unsigned>(std::strlen(part.first));
    if (part.steps != sleep_plan::for_ever || step < first) ++me.steps;
    if (step < first) return part.first[step];
    return part.may[the_machine().choose(static_cast<unsigned>(std::strlen(part.may)))];
  }

  // ---- The owner.

  bool owner(own_state& me, shared_state& all) {
    const char what = next(plan_.owner, me);
    bool goes_on = what != 'l';
    if (what == 'p' && me.depth < plan_.capacity) push(me, all);
    if (what == 'o' && me.depth != 0) goes_on = pop(me, all);
    return goes_on && me.steps < plan_.owner.steps;
  }

  void push(own_state& me, shared_state& all) {
    const unsigned h = me.depth++;
    the_machine().say("owner pushes at", h);
    control_->publish(h);
    if (the_machine().live()) ++all.pushed;
    if (!control_->asked(h)) return;
    const bool counted = !is_running(change::count_before_exposure) || sleepers_->any();
    const auto answer = control_->on_limit(h);
    if (!answer.exposed) return;
    if (is_running(change::limit_after_exposure))
      control_->limit.store(plan_.capacity, std::memory_order_relaxed);
    if (counted) wake_for_exposed();
  }

  // Returns false if the item was stolen.
  bool pop(own_state& me, shared_state& all) {
    const unsigned h = --me.depth;
    the_machine().say("owner pops", h);
    std::uint32_t reclaimed = 0;
    if (!control_->take_private(h) &&
        control_->pop_slow(h, reclaimed) == heist::deque::pop_result::stolen)
      return false;
    if (the_machine().live()) ++all.taken;
    return true;
  }

  void wake_for_exposed() {
    if (!is_running(change::no_fence_to_wake)) explored_parking::full_fence();
    if (!sleepers_->wake_one()) return;
    if (sleepers_->any() && !is_running(change::no_second_request)) control_->ask();
  }

  // ---- A thief. These return false when it runs what it took, for ever.

  bool thief(const sleep_plan::part& part, own_state& me, shared_state& all) {
    const phase now = me.now;
    me.now = phase::free;
    if (now == phase::free) {
      const char what = next(part, me);
      if (what == 's') search(me, all);
      if (what == 'e') help_out(me);
      if (what == 'z') announce(me);
    }
    if (now == phase::passing_on && control_->has_public()) sleepers_->wake_one();
    if (now == phase::helping) help_out(me);
    if (now == phase::exposing) control_->expose([] { the_machine().membarrier(); });
    if (now == phase::asking) ask_all(me);
    if (now == phase::looking) look(me);
    if (now == phase::giving_up) retract(me);
    if (now == phase::waiting) sleepers_->wait(no_seat, [] { return false; });
    return now != phase::passing_on && (me.now != phase::free || me.steps < part.steps);
  }

  void search(own_state& me, shared_state& all) {
    the_machine().say("search", 1);
    const auto answer = control_->steal();
    if (answer.result == heist::deque::steal_result::empty) control_->ask();
    if (answer.result != heist::deque::steal_result::taken) return;
    if (the_machine().live()) ++all.taken;
    me.now = phase::passing_on;
  }

  void help_out(own_state& me) {
    if (control_->has_work() && !control_->has_public()) me.now = phase::exposing;
  }

  void announce(own_state& me) {
    the_machine().say("sleep", 1);
    if (is_running(change::request_before_count)) control_->ask();
    if (!is_running(change::count_after_barrier)) sleepers_->announce();
    me.now = phase::asking;
  }

  void ask_all(own_state& me) {
    if (!is_running(change::request_before_count)) control_->ask();
    if (is_running(change::fence_for_sleepers_barrier))
      the_machine().fence("sleep");
    else if (!is_running(change::no_sleepers_barrier))
      the_machine().membarrier();
    if (is_running(change::count_after_barrier)) sleepers_->announce();
    me.now = phase::looking;
  }

  void look(own_state& me) {
    const bool found =
        is_running(change::public_look_only) ? control_->has_public() : control_->has_work();
    me.now = found ? phase::giving_up : phase::waiting;
  }

  void retract(own_state& me) {
    sleepers_->retract();
    me.now = phase::helping;
  }

  const sleep_plan& plan_;
  std::optional<control> control_;
  // No guests come here: tests/model/guest_models.cpp has them.
  struct own_seat {
    void vacate() noexcept {}
    [[nodiscard]] bool take_back() noexcept { return true; }
    void await_guest() noexcept {}
  };
  static constexpr own_seat* no_seat = nullptr;
  std::optional<heist::detail::basic_sleepers<explored_parking>> sleepers_;
};

}  // namespace heist_explorer
