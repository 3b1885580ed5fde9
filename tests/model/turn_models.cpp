// The programs that run on the request for an urgent root (T3 in turns.hpp): whoever gives the pool
// such a root asks by the word that thieves ask by, and a worker whose function only forks sees it.
//
// ask_for_entry(), look_at_entry(), fork_uncommonly() and equip() are the pool's steps with one
// worker or one guest. The entry is a number, whose lock is left out. `is_asked_` belongs to the
// model: a worker that knows that it was asked must see the root at its next fork.
#include "tests/model/relacy.hpp"

#include "heist/deque/split_control.hpp"
#include "runtime/seat.hpp"
#include "tests/model/seam.hpp"
#include "tests/model/simulate.hpp"

namespace heist_model {

namespace {

class turn_model {
 public:
  using control = heist::deque::split_control<model_atomics, 1>;
  static constexpr unsigned capacity = 2;

  turn_model() : urgent_(0), doing_(searching), is_asked_(0) {
    void* place = control_memory_;
    std::size_t space = sizeof(control_memory_);
    std::align(alignof(control), sizeof(control), place, space);
    control_ = std::construct_at(static_cast<control*>(place), capacity, memory_, capacity);
  }
  ~turn_model() { std::destroy_at(control_); }
  turn_model(const turn_model&) = delete;
  turn_model& operator=(const turn_model&) = delete;

  // Nobody sleeps, and the worker that is asked has a deque that is always there.
  void run_giver() {
    push_root();
    if (!is_running(change::only_runners_are_asked) ||
        doing_.load(std::memory_order_relaxed) == running)
      control_->ask();
    is_asked_.store(1, std::memory_order_release);
  }
  void run_giver_beside_guest() {
    push_root();
    if (control* const shown = door_.pin()) shown->ask();
    door_.unpin();
    is_asked_.store(1, std::memory_order_release);
  }

  void run_thief() { control_->ask(); }

  // It finds something to steal after its look at the entry.
  void run_worker() {
    if (urgent_.load(std::memory_order_relaxed) != 0) return;
    begin_running();
    fork_until_asked();
  }

  // It begins with what it has come for.
  void run_guest() {
    begin_running();
    control_->limit.store(control_->unasked, std::memory_order_relaxed);
    door_.open(*control_);
    if (!is_running(change::no_look_of_the_guest) && urgent_.load(std::memory_order_relaxed) != 0)
      control_->limit.store(0, std::memory_order_relaxed);
    fork_until_asked();
    door_.close([] { rl::yield(1, RL_INFO); });
  }

 private:
  enum : std::uint32_t { searching, running };

  void push_root() {
    urgent_.store(1, std::memory_order_relaxed);
    if (!is_running(change::no_fence_to_ask)) model_atomics::full_fence();
  }
  void begin_running() {
    doing_.store(running, std::memory_order_relaxed);
    model_atomics::full_fence();
  }

  void fork_until_asked() {
    for (int forks = 0; forks < 2; ++forks)
      if (fork()) return;
    while (is_asked_.load(std::memory_order_acquire) == 0) rl::yield(1, RL_INFO);
    RL_ASSERT(fork());
  }

  // A fork of nothing and its join. True: it gives its turn to the root.
  bool fork() {
    control_->publish(0);
    bool gives_turn = false;
    if (control_->asked(0)) {
      static_cast<void>(control_->on_limit(0));
      if (!is_running(change::no_fence_after_answer)) model_atomics::full_fence();
      gives_turn = urgent_.load(std::memory_order_relaxed) != 0;
    }
    std::uint32_t reclaimed = 0;
    if (!control_->take_private(0))
      RL_ASSERT(control_->pop_slow(0, reclaimed) == heist::deque::pop_result::taken);
    return gives_turn;
  }

  char control_memory_[sizeof(control) + alignof(control)];
  control* control_;
  heist::detail::basic_guest_door<model_atomics, control> door_;
  model_atomic<std::uint32_t> urgent_;
  model_atomic<std::uint32_t> doing_;  // what the worker does
  model_atomic<std::uint32_t> is_asked_;
  char memory_[capacity + 1];
};

template <rl::thread_id_t Threads, void (turn_model::*Worker)(), void (turn_model::*Giver)()>
class turn_suite : public rl::test_suite<turn_suite<Threads, Worker, Giver>, Threads> {
 public:
  void thread(unsigned index) {
    if (index == 0) (model_.*Worker)();
    if (index == 1) (model_.*Giver)();
    if (index == 2) model_.run_thief();
  }

 private:
  turn_model model_;
};

struct searched {
  const char* name;
  unsigned threads;
  plan usual;
  outcome (*run)(const plan&);
};

const searched programs[] = {
    {"request_to_a_worker",
     2,
     {search::bounded, 3},
     simulate<turn_suite<2, &turn_model::run_worker, &turn_model::run_giver>>},
    {"request_beside_a_thiefs",
     3,
     {search::bounded, 3},
     simulate<turn_suite<3, &turn_model::run_worker, &turn_model::run_giver>>},
    {"request_to_a_guest",
     2,
     {search::bounded, 3},
     simulate<turn_suite<2, &turn_model::run_guest, &turn_model::run_giver_beside_guest>>},
};

}  // namespace

family turns_family() {
  family f{"turns", {}, {}};
  for (const searched& s : programs)
    f.models.push_back({f.name, s.name, s.threads, 1, s.usual, s.run});
  return f;
}

}  // namespace heist_model
