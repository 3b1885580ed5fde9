// A short program on some deque, and the mistake that it finds.
//
// The published forms in this folder and heist's own deques run the same programs: the former must
// make the mistake for which they are known, the latter none. The mistake found has a name, so that
// a test does not accept a failure of another kind.
#pragma once

#include "tests/model/relacy.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "heist/deque/concept.hpp"
#include "tests/model/model.hpp"
#include "tests/model/published/stories.hpp"
#include "tests/model/seam.hpp"
#include "tests/model/simulate.hpp"

namespace heist_model::published {

using item = std::uintptr_t;  // 1, 2, 3 ...; 0 is in slots that nobody has written

// The mistake of the last run; it is set before Relacy is told to fail.
inline mistake found = mistake::none;

// Three deques: the victim's, the thief's own and the second thief's own. The steps of the victim's
// owner are p push, o pop, O a pop that must return the newest item; those of a thief are s steal
// one, b steal a batch into its own deque. The first thief steals from the victim, the second from
// the first.
struct program {
  std::size_t capacity;
  std::size_t batch;      // the k of deques that have one
  unsigned filled;        // the victim's items at the start
  unsigned thief_filled;  // the first thief's
  std::size_t thief_capacity;
  const char* owner;
  const char* thief;
  const char* second_thief = "";
  bool ignores_never_pushed = false;  // to find other mistakes
};
inline const program* running_program = nullptr;

class ledger {
 public:
  item push() { return ++pushed_; }
  [[nodiscard]] item newest() const { return pushed_; }

  void take(item id) {
    if (id == 0 && running_program->ignores_never_pushed) return;
    expect(id != 0 && id <= pushed_, mistake::never_pushed);
    expect(!taken_[id], mistake::taken_twice);
    taken_[id] = true;
  }

  void check_all_taken() const {
    for (item id = 1; id <= pushed_; ++id) expect(taken_[id], mistake::lost);
  }

  static void expect(bool holds, mistake otherwise) {
    if (!holds) found = otherwise;
    RL_ASSERT(holds);
  }

 private:
  static constexpr std::size_t max_items = 16;
  item pushed_ = 0;
  bool taken_[max_items] = {};
};

// Places a deque at an aligned address, because Relacy places suites at any address.
template <class D>
class placed {
 public:
  explicit placed(std::size_t capacity) {
    void* place = memory_;
    std::size_t space = sizeof(memory_);
    std::align(alignof(D), sizeof(D), place, space);
    if constexpr (std::constructible_from<D, std::size_t, std::size_t>)
      deque_ = std::construct_at(static_cast<D*>(place), capacity, running_program->batch);
    else
      deque_ = std::construct_at(static_cast<D*>(place), capacity);
  }
  ~placed() { std::destroy_at(deque_); }
  placed(const placed&) = delete;
  placed& operator=(const placed&) = delete;

  D* operator->() { return deque_; }

 private:
  char memory_[sizeof(D) + alignof(D)];
  D* deque_;
};

struct arena_use {
  arena_use() { arena.start_schedule(); }
};

template <class D, rl::thread_id_t Threads>
class program_suite : public rl::test_suite<program_suite<D, Threads>, Threads> {
 public:
  void before() {
    for (unsigned i = 0; i < running_program->filled; ++i) push(victim_);
    for (unsigned i = 0; i < running_program->thief_filled; ++i) push(thief_);
  }

  void thread(unsigned index) {
    if (index == 0) run_owner(running_program->owner);
    if (index == 1) run_thief(running_program->thief, victim_, thief_);
    if (index == 2) run_thief(running_program->second_thief, thief_, second_thief_);
  }

  // Every item that nobody took is still there, once.
  void after() {
    for (placed<D>* one : {&second_thief_, &thief_, &victim_})
      while (const std::optional<item> got = (*one)->owner().pop()) ledger_.take(*got);
    ledger_.check_all_taken();
  }

 private:
  void push(placed<D>& deque) {
    const item id = ledger_.push();
    RL_ASSERT(deque->owner().push(id) == heist::deque::push_result::ok);
  }

  void run_owner(const char* steps) {
    for (; *steps != 0; ++steps) {
      if (*steps == 'p') {
        push(victim_);
        continue;
      }
      const std::optional<item> got = victim_->owner().pop();
      if (*steps == 'O') ledger::expect(got == ledger_.newest(), mistake::not_newest);
      if (got) ledger_.take(*got);
    }
  }

  void run_thief(const char* steps, placed<D>& from, placed<D>& mine) {
    for (; *steps != 0; ++steps) {
      if (*steps == 's') {
        const auto answer = from->thief().steal();
        if (answer.result == heist::deque::steal_result::taken) ledger_.take(answer.item);
      } else {
        take_batch(from, mine);
      }
    }
  }

  void take_batch(placed<D>& from, placed<D>& mine) {
    if constexpr (heist::deque::batched_deque<D>) {
      auto own = mine->owner();
      const auto answer = from->thief().steal_into(own);
      if (answer.result == heist::deque::steal_result::taken) ledger_.take(answer.item);
    }
  }

  arena_use arena_;
  placed<D> victim_{running_program->capacity};
  placed<D> thief_{running_program->thief_capacity};
  placed<D> second_thief_{running_program->thief_capacity};
  ledger ledger_;
};

template <class D>
verdict run(const program& what, const plan& p) {
  running_program = &what;
  found = mistake::none;
  outcome o =
      *what.second_thief == 0 ? simulate<program_suite<D, 2>>(p) : simulate<program_suite<D, 3>>(p);
  return {std::move(o), found};
}

}  // namespace heist_model::published
