// An owner and one or two thieves on one split_control, as Relacy's test suite.
//
// The owner does what a worker does: it pushes and pops frames of fibers whose slots lie in two
// pieces of memory, answers requests, switches to the other fiber when it would have to wait for a
// stolen item, and comes back. Relacy chooses the steps of all threads.
//
// The suite checks that every item is taken exactly once (by its frame or by a thief) or is still
// in the deque at the end; that the one that takes an item reads what its owner wrote, without a
// data race; that a free slot is never read (it contains 0); and that no proposal is left behind.
#pragma once

#include "tests/model/relacy.hpp"

#include "heist/deque/split_control.hpp"
#include "tests/model/seam.hpp"

namespace heist_model {

constexpr unsigned max_positions = 5;  // a capacity of 4 and the spare slot
constexpr unsigned max_items = 16;
constexpr unsigned max_thieves = 2;

// The steps of each thread, one letter for each; a step that is not possible is skipped.
//   owner   p push, o pop, r resume the suspended fiber, x expose all, * pop until nothing is left
//   thief   s steal, a ask, e expose remotely
//   both    ? any of owner_may or thieves_may, as Relacy chooses
struct script {
  const char* name;
  unsigned capacity;
  const char* owner;
  std::array<const char*, max_thieves> thieves;
  const char* owner_may = "por";
  const char* thieves_may = "sae";
};

inline unsigned threads_of(const script& play) { return *play.thieves[1] == 0 ? 2 : 3; }

// Relacy constructs the suite, so the suite finds its script here.
inline const script* running_script = nullptr;

class deque_model {
 public:
  using control = heist::deque::split_control<model_atomics, 1>;

  deque_model() : play_(*running_script) {
    void* place = control_memory_;
    std::size_t space = sizeof(control_memory_);
    std::align(alignof(control), sizeof(control), place, space);
    control_ = std::construct_at(static_cast<control*>(place), play_.capacity, fibers_[0].memory,
                                 play_.capacity);
    head_looks = {};
    for (auto& f : fibers_)
      for (auto& slot : f.slots) slot(RL_INFO) = 0u;
    for (auto& e : ended_) e.store(0, rl::mo_relaxed, RL_INFO);
  }
  ~deque_model() { std::destroy_at(control_); }
  deque_model(const deque_model&) = delete;
  deque_model& operator=(const deque_model&) = delete;

  void run_owner() {
    for (const char* step = play_.owner; *step != 0; ++step)
      if (!owner_step(*step)) return;
  }

  void run_thief(unsigned index) {
    for (const char* step = play_.thieves[index]; *step != 0; ++step) thief_step(*step);
  }

  // After all threads have ended: no proposal is left, and the items that nobody has taken are in
  // the deque.
  void check_rest() {
    const auto w = control_->word.load();
    RL_ASSERT(w.bound == w.split);
    control_->expose_all();
    while (control_->has_public()) steal();
    for (unsigned id = 1; id <= pushed_; ++id) RL_ASSERT(taken_[id]);
  }

 private:
  struct fiber {
    unsigned depth = 0;
    bool suspended = false;  // its frame at `depth` waits for the item that it had there
    unsigned ids[max_positions] = {};
    rl::var<unsigned> slots[max_positions];
    char memory[max_positions];
  };

  fiber& now() { return fibers_[current_]; }
  fiber& other() { return fibers_[1 - current_]; }

  void take(unsigned id) {
    RL_ASSERT(id != 0 && id <= pushed_);
    RL_ASSERT(!taken_[id]);
    taken_[id] = true;
  }

  // ---- The owner. These return false if it cannot continue.

  bool is_possible(char step) {
    switch (step) {
      case 'p':
        return now().depth <= play_.capacity && pushed_ + 1 < max_items;
      case 'o':
        return now().depth != 0;
      case 'r':
        return now().depth == 0 && other().suspended;
      default:
        return true;
    }
  }

  char choose_owner_step() {
    std::array<char, 8> possible{};
    unsigned count = 0;
    for (const char* s = play_.owner_may; *s != 0; ++s)
      if (is_possible(*s)) possible[count++] = *s;
    return possible[count < 2 ? 0 : rl::rand(count)];
  }

  bool owner_step(char step) {
    if (step == '?') step = choose_owner_step();
    if (step == '*') {
      while (now().depth != 0)
        if (!pop()) return false;
      return true;
    }
    if (!is_possible(step)) return true;
    if (step == 'p') push();
    if (step == 'x') control_->expose_all();
    if (step == 'r') resume();
    return step != 'o' || pop();
  }

  void push() {
    fiber& f = now();
    const unsigned h = f.depth;
    const unsigned id = ++pushed_;
    f.slots[h](RL_INFO) = id;
    f.ids[h] = id;
    control_->publish(h);
    if (!control_->asked(h) || control_->on_limit(h).pushed) {
      f.depth = h + 1;
    } else {
      RL_ASSERT(h == play_.capacity);
      take_own(h);
    }
    RL_ASSERT(control_->depth() == f.depth);
  }

  bool pop() {
    fiber& f = now();
    const unsigned h = --f.depth;
    std::uint32_t reclaimed = 0;
    if (control_->take_private(h) ||
        control_->pop_slow(h, reclaimed) == heist::deque::pop_result::taken) {
      take_own(h);
      return true;
    }
    if (ended(f.ids[h])) {
      f.slots[h](RL_INFO) = 0u;
      control_->reseat(h, f.memory);
      return true;
    }
    f.suspended = true;
    if (other().suspended) return resume();
    current_ = 1 - current_;
    now().depth = 0;
    control_->reseat(0, now().memory);
    return true;
  }

  // Resumes the other fiber, if the item that it waits for has ended.
  bool resume() {
    fiber& f = other();
    if (!ended(f.ids[f.depth])) return false;
    current_ = 1 - current_;
    f.suspended = false;
    f.slots[f.depth](RL_INFO) = 0u;
    control_->reseat(f.depth, f.memory);
    return true;
  }

  // A frame takes its own item. The poison that it writes races with any thread that still reads
  // the slot.
  void take_own(unsigned h) {
    fiber& f = now();
    const unsigned id = f.slots[h](RL_INFO);
    RL_ASSERT(id == f.ids[h]);
    take(id);
    f.slots[h](RL_INFO) = 0u;
  }

  bool ended(unsigned id) { return ended_[id].load(rl::mo_acquire, RL_INFO) != 0; }

  // ---- A thief.

  void thief_step(char step) {
    if (step == '?') {
      const auto choices = static_cast<unsigned>(std::strlen(play_.thieves_may));
      step = play_.thieves_may[rl::rand(choices)];
    }
    if (step == 's') steal();
    if (step == 'a') control_->ask();
    if (step == 'e') control_->expose(heavy_barrier);
  }

  void steal() {
    const auto answer = control_->steal();
    if (answer.result != heist::deque::steal_result::taken) return;
    for (fiber& f : fibers_) {
      if (answer.item < f.memory || answer.item >= f.memory + max_positions) continue;
      const auto h = static_cast<unsigned>(answer.item - f.memory);
      RL_ASSERT(h < play_.capacity);
      const unsigned id = f.slots[h](RL_INFO);
      take(id);
      ended_[id].store(1, rl::mo_release, RL_INFO);
      return;
    }
    RL_ASSERT(answer.item == nullptr);  // an item of no fiber
  }

  const script& play_;
  char control_memory_[sizeof(control) + alignof(control)];
  control* control_;
  fiber fibers_[2];
  rl::atomic<unsigned> ended_[max_items];
  bool taken_[max_items] = {};
  unsigned pushed_ = 0;   // the newest item's id; 0 is the poison
  unsigned current_ = 0;  // the fiber that the owner runs
};

template <rl::thread_id_t Threads>
class deque_suite : public rl::test_suite<deque_suite<Threads>, Threads> {
 public:
  void thread(unsigned index) {
    if (index == 0)
      model_.run_owner();
    else
      model_.run_thief(index - 1);
  }
  void after() { model_.check_rest(); }

 private:
  deque_model model_;
};

}  // namespace heist_model
