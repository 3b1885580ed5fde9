// The programs that run on requests which must not be lost.
//
// An urgent root (T3 in turns.hpp). The one that gives the pool such a root asks by the word that
// thieves ask by, and a worker whose function only forks sees it. ask_for_entry(), look_at_entry(),
// fork_uncommonly() and equip() are the pool's steps with one worker or one guest. The entry is a
// number, whose lock is left out. `is_asked_` belongs to the model: a worker that knows that it was
// asked must see the root at its next fork.
//
// The market of heist's libtbb (integrations/libtbb/market/market.hpp). A worker that finds no work
// gives its arena up, while others push; and one finds no seat, while the thread in it leaves.
// advertise(), is_still_wanted(), give_up(), note_full() and stand_up() are the steps of arena.cpp
// and market.cpp with one arena and one worker; tasks are a number. When the last visit has ended,
// no task may be left, nor may the worker be without a seat.
#include "tests/model/relacy.hpp"

#include "heist/deque/split_control.hpp"
#include "runtime/core/seat.hpp"
#include "tests/model/seam.hpp"
#include "tests/model/simulate.hpp"

namespace heist_model {

namespace {

// ---- An urgent root.

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

// ---- The market.

class model_lock {
 public:
  model_lock() : taken_(0) {}
  void lock() {
    while (taken_.exchange(1, std::memory_order_acquire) != 0) rl::yield(1, RL_INFO);
  }
  void unlock() { taken_.store(0, std::memory_order_release); }

 private:
  model_atomic<std::uint32_t> taken_;
};

// What both programs share: visits of the worker, and the end of what the other thread does.
// `is_over_` belongs to the model: from then on nobody starts a visit.
class visited {
 public:
  visited() : visits_(0), is_over_(0) {}
  void start_visit() { visits_.store(1, std::memory_order_release); }
  void end() { is_over_.store(1, std::memory_order_release); }
  // False: there will be no visit any more.
  bool await_visit() {
    for (;;) {
      const bool is_over = is_over_.load(std::memory_order_acquire) != 0;
      if (visits_.exchange(0, std::memory_order_acquire) != 0) return true;
      if (is_over) return false;
      rl::yield(1, RL_INFO);
    }
  }

 private:
  model_atomic<std::uint32_t> visits_;
  model_atomic<std::uint32_t> is_over_;
};

// A visit is on its way to an arena that has no work. The thread from outside pushes a task, takes
// it back if it can, and pushes another.
class push_model : private visited {
 public:
  push_model() : tasks_(0), hungry_(1) { start_visit(); }

  void run_pusher() {
    push();
    static_cast<void>(take());
    push();
    end();
  }
  void run_worker() {
    while (await_visit()) {
      do {
        while (take()) {
        }
      } while (is_still_wanted() || !give_up());
    }
    RL_ASSERT(tasks_.load(std::memory_order_relaxed) == 0);
  }

 private:
  void push() {
    tasks_.fetch_add(1, std::memory_order_relaxed);
    model_atomics::full_fence();
    if (hungry_.load(std::memory_order_relaxed) != 0) advertise();
  }
  bool take() {
    std::uint32_t seen = tasks_.load(std::memory_order_relaxed);
    return seen != 0 && tasks_.compare_exchange_strong(seen, seen - 1, std::memory_order_relaxed,
                                                       std::memory_order_relaxed);
  }

  void advertise() {
    if (hungry_.exchange(0, std::memory_order_acq_rel) == 0) return;
    lock_.lock();
    if (demand_(RL_INFO) == 0) {
      demand_(RL_INFO) = 1;
      start_visit();
    }
    lock_.unlock();
  }
  bool is_still_wanted() {
    if (tasks_.load(std::memory_order_relaxed) != 0) return true;
    if (!is_running(change::hunger_after_look)) hungry_.store(1, std::memory_order_seq_cst);
    if (!is_running(change::no_barrier_of_owners)) model_atomics::full_fence();
    const bool has_work = tasks_.load(std::memory_order_relaxed) != 0;
    if (is_running(change::hunger_after_look)) hungry_.store(1, std::memory_order_seq_cst);
    return has_work;
  }
  bool give_up() {
    lock_.lock();
    bool is_over = tasks_.load(std::memory_order_relaxed) == 0;
    if (is_over && demand_(RL_INFO) != 0) {
      is_over = is_running(change::no_look_for_calls) ||
                hungry_.load(std::memory_order_seq_cst) != 0;  // M1
      if (is_over) demand_(RL_INFO) = 0;
    }
    lock_.unlock();
    return is_over;
  }

  model_atomic<std::uint32_t> tasks_;
  model_atomic<std::uint32_t> hungry_;
  model_lock lock_;
  rl::var<unsigned> demand_{1};
};

class push_suite : public rl::test_suite<push_suite, 2> {
 public:
  void thread(unsigned index) {
    if (index == 0)
      model_.run_pusher();
    else
      model_.run_worker();
  }

 private:
  push_model model_;
};

// A thread from outside has the only seat, and leaves it. The worker sits down at last.
class seat_model : private visited {
 public:
  seat_model() : taken_(1), is_full_(0) { start_visit(); }

  void run_outsider() {
    leave();
    end();
  }
  void run_worker() {
    while (await_visit()) {
      bool may_try = true;
      while (may_try) {
        if (taken_.exchange(1, std::memory_order_acquire) == 0) return;
        lock_.lock();
        is_full_.store(1, std::memory_order_seq_cst);
        may_try = !is_running(change::no_second_look_at_seats) &&
                  taken_.load(std::memory_order_seq_cst) == 0;
        if (may_try) is_full_.store(0, std::memory_order_relaxed);
        lock_.unlock();
      }
    }
    RL_ASSERT(false);
  }

 private:
  void leave() {
    const bool was_full = is_full_.load(std::memory_order_seq_cst) != 0;
    taken_.store(0, std::memory_order_seq_cst);
    const bool is_full = is_running(change::flag_before_seat)
                             ? was_full
                             : is_full_.load(std::memory_order_seq_cst) != 0;
    if (!is_full) return;
    lock_.lock();
    is_full_.store(0, std::memory_order_relaxed);
    start_visit();
    lock_.unlock();
  }

  model_atomic<std::uint32_t> taken_;
  model_atomic<std::uint32_t> is_full_;
  model_lock lock_;
};

class seat_suite : public rl::test_suite<seat_suite, 2> {
 public:
  void thread(unsigned index) {
    if (index == 0)
      model_.run_outsider();
    else
      model_.run_worker();
  }

 private:
  seat_model model_;
};

}  // namespace

family turns_family() {
  family f{"turns", {}, {}};
  for (const searched& s : programs)
    f.models.push_back({f.name, s.name, s.threads, 1, s.usual, s.run});
  return f;
}

family market_family() {
  return {"market",
          {},
          {{"market", "market_push", 2, 0, {search::bounded, 3}, simulate<push_suite>},
           {"market", "market_seat", 2, 0, {search::bounded, 4}, simulate<seat_suite>}}};
}

}  // namespace heist_model
