// An owner and one or two thieves on one split_control, for the explorer.
//
// The owner does what a worker does: it pushes and pops the frames of fibers, whose slots lie in
// two pieces of memory, answers requests, resumes the suspended fiber if the stolen item has ended,
// and otherwise runs the other fiber. Within a plan, the explorer chooses the next step of each
// thread. A thief has ended what it stole when it has read the slot; an owner that still finds it
// unfinished later behaves as if it had looked earlier.
//
// Every state is checked for I1, and each reseat for I4. Each taking is checked for I2: the item
// was pushed and nobody took it before. At the end all items must have been taken or be in the
// deque, no proposal may be left behind, every thread must have ended (I5), and, where the plan
// says so, I6 must hold.
#pragma once

#include <cstring>
#include <optional>

#include "heist/deque/split_control.hpp"
#include "tests/model/explorer/explorer.hpp"
#include "tests/model/explorer/seam.hpp"

namespace heist_explorer {

// Letters: owner p push, o pop, r resume the suspended fiber, x expose all; thief s steal, t steal
// and read the slot before the exchange, a ask, e expose remotely.
struct split_plan {
  struct part {
    unsigned steps;
    const char* may;
    const char* first = "";  // these steps come before the free ones
  };
  const char* name;
  part owner;
  std::array<part, 2> thieves;  // without steps: there is no such thief
  unsigned capacity = 3;
  // Whether I6 is checked: a request that came after an exposure must be there at the end. It is
  // checked only if no thief exposes; otherwise the owner may find that a thief has done its work,
  // and restore limit a little later.
  bool with_requests = false;

  [[nodiscard]] unsigned threads() const { return thieves[1].steps == 0 ? 2 : 3; }
};

class split_explored {
 public:
  static constexpr unsigned max_positions = 4;  // with the spare slot

  // What the owner does after its step.
  enum class pending : std::uint8_t { nothing, reseat };

  struct fiber {
    std::uint8_t depth;
    std::uint8_t suspended;  // its frame at `depth` waits for the item that it had there
    std::array<std::uint8_t, max_positions> ids;
  };
  struct own_state {
    std::uint8_t steps;
    // These belong to the owner only:
    std::uint8_t current;
    std::uint8_t pushed;  // the newest item's id
    pending then;
    std::array<fiber, 2> fibers;
  };
  // A bit for each item.
  struct shared_state {
    std::uint16_t pushed;
    std::uint16_t taken;
    std::uint16_t ended;
    std::uint16_t asked;  // 1: since the last exposure
  };
  using state = node<own_state, shared_state>;

  explicit split_explored(const split_plan& plan, memory kind = memory::tso) : plan_(plan) {
    the_machine().reset(kind, plan.threads());
    control_.emplace(plan.capacity, memory_of(0), plan.capacity);
    for (auto& slots : slots_)
      for (auto& slot : slots) slot.emplace(0);
    the_machine().name_cells({"head", "seat", "word", "word", "limit"});
  }

  bool operate(unsigned thread, own_state& me, shared_state& all) {
    return thread == 0 ? owner(me, all) : thief(plan_.thieves[thread - 1], me, all);
  }

  const char* broken(const state& s) const {
    const control::state w = word_of(s);
    return w.tail <= w.split && w.split <= w.bound ? nullptr : "I1: tail <= split <= bound";
  }

  const char* wrong_end(const state& s) const {
    for (unsigned t = 0; t < plan_.threads(); ++t)
      if (s.machine.threads[t].is != status::ended) return "I5: somebody waits";
    const control::state w = word_of(s);
    if (w.bound != w.split) return "a proposal is left behind";
    if (plan_.with_requests && s.shared.asked != 0 && s.machine.cells[control_->limit.cell()] != 0)
      return "I6: a request is lost";
    unsigned left = 0;
    const unsigned seat = s.machine.cells[control_->seat.cell()] / max_positions;
    const unsigned head = s.machine.cells[control_->head.cell()];
    for (unsigned h = w.tail; h < head && h < plan_.capacity; ++h)
      left |= 1u << s.machine.cells[slots_[seat][h]->cell()];
    if ((left & s.shared.taken) != 0) return "I2: an item that was taken is still there";
    return (left | s.shared.taken) == s.shared.pushed ? nullptr : "I2: an item is lost";
  }

 private:
  using control = heist::deque::split_control<explored_atomics, 1>;
  using id_cell = std::optional<explored_atomic<std::uint32_t>>;

  static char* memory_of(unsigned f) { return places.data() + f * max_positions; }

  control::state word_of(const state& s) const {
    const unsigned cell = control_->word.cell();
    return explored_word<control::state>::state_of(s.machine.cells[cell],
                                                   s.machine.cells[cell + 1]);
  }

  // Called right after an action, to which the check belongs.
  static void take(unsigned id, shared_state& all) {
    if (!the_machine().live()) return;
    the_machine().check((all.pushed >> id & 1) != 0, "I2: what was taken is no item");
    the_machine().check((all.taken >> id & 1) == 0, "I2: an item is taken twice");
    all.taken |= static_cast<std::uint16_t>(1u << id);
  }

  static char choose(const char* among) {
    return among[the_machine().choose(static_cast<unsigned>(std::strlen(among)))];
  }

  // ---- The owner.

  bool owner(own_state& me, shared_state& all) {
    fiber& now = me.fibers[me.current];
    if (me.then == pending::reseat) {
      the_machine().say("owner reseats at", now.depth);
      control_->reseat(now.depth, memory_of(me.current));
      me.then = pending::nothing;
      return me.steps < plan_.owner.steps;
    }
    const unsigned step = me.steps++;
    const bool is_free = step >= std::strlen(plan_.owner.first);
    const char what = is_free ? choose_owner_step(me) : plan_.owner.first[step];
    bool goes_on = true;
    if (what == 'p') push(me, all);
    if (what == 'o') goes_on = pop(me, all);
    if (what == 'r') resume(me, all);
    if (what == 'x') control_->expose_all();
    return goes_on && what != 0 && (me.steps < plan_.owner.steps || me.then == pending::reseat);
  }

  char choose_owner_step(const own_state& me) const {
    const fiber& now = me.fibers[me.current];
    std::array<char, 8> possible{};
    unsigned count = 0;
    for (const char* s = plan_.owner.may; *s != 0; ++s) {
      const bool can = *s == 'p'   ? now.depth <= plan_.capacity
                       : *s == 'o' ? now.depth != 0
                       : *s == 'r' ? now.depth == 0 && me.fibers[1 - me.current].suspended != 0
                                   : true;
      if (can) possible[count++] = *s;
    }
    return count == 0 ? '\0' : possible[the_machine().choose(count)];
  }

  void push(own_state& me, shared_state& all) {
    fiber& f = me.fibers[me.current];
    const unsigned h = f.depth;
    the_machine().say("owner pushes at", h);
    const std::uint8_t id = ++me.pushed;
    f.ids[h] = id;
    const auto write_slot = [&] {
      slots_[me.current][h]->store(id, std::memory_order_relaxed, "push");
      if (the_machine().live()) all.pushed |= static_cast<std::uint16_t>(1u << id);
    };
    if (!is_running(change::slot_after_head)) write_slot();
    control_->publish(h);
    if (is_running(change::slot_after_head)) write_slot();
    bool fits = true;
    if (control_->asked(h)) {
      const auto answer = control_->on_limit(h);
      fits = answer.pushed;
      if (answer.exposed && the_machine().live()) all.asked = 0;
      if (is_running(change::limit_after_exposure) && answer.exposed)
        control_->limit.store(plan_.capacity, std::memory_order_relaxed);
    }
    if (fits)
      f.depth = static_cast<std::uint8_t>(h + 1);
    else
      take(id, all);
  }

  bool pop(own_state& me, shared_state& all) {
    fiber& f = me.fibers[me.current];
    const unsigned h = --f.depth;
    the_machine().say("owner pops", h);
    std::uint32_t reclaimed = 0;
    if (control_->take_private(h) ||
        control_->pop_slow(h, reclaimed) == heist::deque::pop_result::taken) {
      take(f.ids[h], all);
      return true;
    }
    me.then = pending::reseat;
    if (has_ended(f.ids[h], all)) return true;
    const fiber& other = me.fibers[1 - me.current];
    if (other.suspended != 0 && !has_ended(other.ids[other.depth], all)) {
      me.then = pending::nothing;  // it waits for others, and that is all
      return false;
    }
    f.suspended = 1;
    go_to_other(me);
    return true;
  }

  void resume(own_state& me, shared_state& all) {
    const fiber& other = me.fibers[1 - me.current];
    if (!has_ended(other.ids[other.depth], all)) return;
    me.then = pending::reseat;
    go_to_other(me);
  }

  // Switches to the suspended fiber at its depth, or to a fresh fiber at depth 0.
  static void go_to_other(own_state& me) {
    me.current = static_cast<std::uint8_t>(1 - me.current);
    me.fibers[me.current].suspended = 0;
  }

  static bool has_ended(unsigned id, const shared_state& all) {
    return the_machine().observe([&] { return all.ended >> id & 1; }) != 0;
  }

  // ---- A thief.

  bool thief(const split_plan::part& part, own_state& me, shared_state& all) {
    const unsigned step = me.steps++;
    const bool is_free = step >= std::strlen(part.first);
    const char what = is_free ? choose(part.may) : part.first[step];
    if (what == 's') steal(all);
    if (what == 't') steal_reading(all);
    if (what == 'a') ask(all);
    if (what == 'e') control_->expose(heavy_barrier);
    return me.steps < part.steps;
  }

  void ask(shared_state& all) {
    control_->ask();
    if (the_machine().live()) all.asked = 1;
  }

  void steal(shared_state& all) {
    const auto answer = control_->steal();
    if (answer.result != heist::deque::steal_result::taken) return;
    const auto place = static_cast<unsigned>(answer.item - places.data());
    const unsigned h = place % max_positions;
    the_machine().check(h < plan_.capacity, "I2: the spare slot is stolen");
    end(slots_[place / max_positions][h]->load(std::memory_order_relaxed, "steal"), all);
  }

  // For a deque whose items are all in one piece of memory.
  void steal_reading(shared_state& all) {
    unsigned id = 0;
    const auto answer = control_->steal_reading(
        [&](unsigned h) { id = slots_[0][h]->load(std::memory_order_relaxed, "steal_reading"); });
    if (answer == heist::deque::steal_result::taken) end(id, all);
  }

  static void end(unsigned id, shared_state& all) {
    take(id, all);
    if (the_machine().live()) all.ended |= static_cast<std::uint16_t>(1u << id);
  }

  const split_plan& plan_;
  std::optional<control> control_;
  std::array<std::array<id_cell, max_positions>, 2> slots_;
};

}  // namespace heist_explorer
