// The programs that run on seats (seat.hpp): a resident that sleeps, guests that take its seat and
// give it back, and an owner whose work must wake the resident.
//
// enter() and leave() are pool_impl's steps with one seat. The resident has announced itself and
// has found nothing when a run begins. It takes one item and ends, and one item is there for it: if
// it still sleeps when the others have ended, a wake-up was lost, and Relacy reports a deadlock.
#include "tests/model/relacy.hpp"

#include "runtime/core/seat.hpp"
#include "runtime/core/sleepers.hpp"
#include "tests/model/seam.hpp"
#include "tests/model/simulate.hpp"
#include "tests/model/sleep_suite.hpp"

namespace heist_model {

namespace {

// Several words are waited on: the count's epoch and a seat.
class model_futexes {
 public:
  model_futex& of(const model_atomic<std::uint32_t>& word) {
    for (auto& each : used_) {
      if (each.first == nullptr) each.first = &word;
      if (each.first == &word) return each.second;
    }
    RL_ASSERT(false);
    return used_[0].second;
  }

 private:
  std::array<std::pair<const model_atomic<std::uint32_t>*, model_futex>, 3> used_{};
};
model_futexes* running_futexes = nullptr;
const sleep_script guest_script{"guests", ""};

struct seat_parking : model_atomics {
  static void futex_wait(model_atomic<std::uint32_t>& word, std::uint32_t seen,
                         heist::platform::park_bits) {
    running_futexes->of(word).wait(word, seen);
  }
  static void futex_wake_one(model_atomic<std::uint32_t>& word, heist::platform::park_bits,
                             const char* function = __builtin_FUNCTION()) {
    const std::string_view caller(function);
    if (caller.starts_with("sit_down") && is_running(change::no_wake_by_the_unseated)) return;
    if (caller.starts_with("give_back") && is_running(change::no_wake_of_the_awaiting)) return;
    running_futexes->of(word).wake_one();
  }
  static void futex_wake_all(model_atomic<std::uint32_t>& word) {
    if (is_running(change::mail_wakes_one)) return running_futexes->of(word).wake_one();
    running_futexes->of(word).wake_all();
  }
};

using model_seat = heist::detail::basic_seat<seat_parking>;
using model_sleepers = heist::detail::basic_sleepers<seat_parking>;

// Pushes by an owner that searches, runs, and searches again. Its light barrier is left out: only
// begin_running() stands between its note and its push.
class guest_model {
 public:
  using control = heist::deque::split_control<model_atomics, 1>;
  static constexpr unsigned capacity = 2;

  guest_model() : doing_(searching), outside_(0) {
    void* place = control_memory_;
    std::size_t space = sizeof(control_memory_);
    std::align(alignof(control), sizeof(control), place, space);
    control_ = std::construct_at(static_cast<control*>(place), capacity, memory_, capacity);
    running_futexes = &futexes_;
    running_sleep_script = &guest_script;
    head_looks = {};
    sleepers_.announce();
    control_->ask();
  }
  ~guest_model() { std::destroy_at(control_); }
  guest_model(const guest_model&) = delete;
  guest_model& operator=(const guest_model&) = delete;

  // The resident takes one item, in whichever way it comes. It does not sleep again once it has
  // been woken: how it goes to sleep is the sleeping family's.
  void run_resident() {
    kept_(RL_INFO) = 1;
    sleepers_.wait(&seat_, [] { return false; });
    kept_(RL_INFO) = kept_(RL_INFO) + 1;
    while (!steal() && !take_from_outside()) {
      control_->expose(heavy_barrier);
      rl::yield(1, RL_INFO);
    }
  }

  // What is pushed first answers the request, perhaps while a guest has the seat.
  void run_pusher() {
    push();
    std::uint32_t reclaimed = 0;
    if (!control_->take_private(0) &&
        control_->pop_slow(0, reclaimed) == heist::deque::pop_result::stolen)
      return;  // the resident has it
    doing_.store(searching, std::memory_order_relaxed);
    push();
  }

  void run_injector() {
    outside_.fetch_add(1, std::memory_order_relaxed);
    model_atomics::full_fence();
    sleepers_.wake_one();
  }

  void run_guest() {
    if (!sleepers_.any() || !seat_.looks_vacant() || !seat_.claim()) return;
    if (!sleepers_.take_one_out()) return seat_.give_back();
    kept_(RL_INFO) = kept_(RL_INFO) + 1;
    leave();
  }

 private:
  enum : std::uint32_t { searching, running };

  void push() {
    doing_.store(running, std::memory_order_relaxed);
    if (!is_running(change::no_fence_to_run)) model_atomics::full_fence();
    control_->publish(0);
    if (!control_->asked(0) || !control_->on_limit(0).exposed) return;
    model_atomics::full_fence();
    sleepers_.wake_one();
  }

  void leave() {
    if (!is_running(change::no_announcement_for_the_resident)) sleepers_.announce();
    if (!is_running(change::no_request_to_leave)) control_->ask();
    if (!is_running(change::no_fence_to_leave)) model_atomics::full_fence();
    const bool runs = doing_.load(std::memory_order_relaxed) == running;
    seat_.give_back();
    // Instead of a barrier and a look at a deque whose owner runs it always finds something there.
    if (is_running(change::no_look_to_leave)) return;
    if (runs || outside_.load(std::memory_order_relaxed) != 0) sleepers_.wake_one();
  }

  bool steal() { return control_->steal().result == heist::deque::steal_result::taken; }
  bool take_from_outside() {
    std::uint32_t one = 1;
    return outside_.compare_exchange_strong(one, 0, std::memory_order_relaxed,
                                            std::memory_order_relaxed);
  }

  char control_memory_[sizeof(control) + alignof(control)];
  control* control_;
  model_futexes futexes_;
  model_sleepers sleepers_;
  model_seat seat_;
  model_atomic<std::uint32_t> doing_;  // what the owner does
  model_atomic<std::uint32_t> outside_;
  rl::var<unsigned> kept_{0};  // what goes from one in the seat to the next: a race if two have it
  char memory_[capacity + 1];
};

// Thread 0 makes the item, thread 1 is the resident, the others are guests.
template <rl::thread_id_t Threads, void (guest_model::*Maker)()>
class guest_suite : public rl::test_suite<guest_suite<Threads, Maker>, Threads> {
 public:
  void thread(unsigned index) {
    if (index == 0)
      (model_.*Maker)();
    else if (index == 1)
      model_.run_resident();
    else
      model_.run_guest();
  }

 private:
  guest_model model_;
};

// Two residents and one item from outside, which may wake the resident whose seat a guest has. The
// guest stays until the other one has taken the item and ends the pool.
class pass_model {
 public:
  pass_model() : outside_(0), end_(0) {
    running_futexes = &futexes_;
    running_sleep_script = &guest_script;
    sleepers_.announce();
    sleepers_.announce();
  }

  void run_injector() {
    outside_.fetch_add(1, std::memory_order_relaxed);
    model_atomics::full_fence();
    sleepers_.wake_one();
  }
  void run_resident(model_seat& seat) {
    sleepers_.wait(&seat, [] { return false; });
    std::uint32_t one = 1;
    while (end_.load(std::memory_order_relaxed) == 0) {
      if (outside_.compare_exchange_strong(one, 0, std::memory_order_relaxed,
                                           std::memory_order_relaxed))
        return end();
      one = 1;
      rl::yield(1, RL_INFO);
    }
  }
  void run_guest() {
    if (!guested.looks_vacant() || !guested.claim()) return;
    if (!sleepers_.take_one_out()) return guested.give_back();
    while (end_.load(std::memory_order_relaxed) == 0) rl::yield(1, RL_INFO);
    sleepers_.announce();
    guested.give_back();
    sleepers_.wake_all();
  }

  model_seat guested;
  model_seat other;

 private:
  void end() {
    end_.store(1, std::memory_order_relaxed);
    model_atomics::full_fence();
    sleepers_.wake_all();
  }

  model_futexes futexes_;
  model_sleepers sleepers_;
  model_atomic<std::uint32_t> outside_;
  model_atomic<std::uint32_t> end_;
};

class pass_suite : public rl::test_suite<pass_suite, 4> {
 public:
  void thread(unsigned index) {
    if (index == 0) model_.run_injector();
    if (index == 1) model_.run_resident(model_.guested);
    if (index == 2) model_.run_resident(model_.other);
    if (index == 3) model_.run_guest();
  }

 private:
  pass_model model_;
};

// Two residents. A guest has the seat of one, sends mail to the other, and leaves. The one that has
// the mail ends the pool.
class mail_model {
 public:
  mail_model() : mail_(0), end_(0) {
    running_futexes = &futexes_;
    running_sleep_script = &guest_script;
    sleepers_.announce();
    sleepers_.announce();
  }

  void run_guest() {
    const bool entered = guested_.looks_vacant() && guested_.claim();
    if (entered && !sleepers_.take_one_out()) RL_ASSERT(false);  // nobody else wakes anybody
    mail_.store(1, std::memory_order_relaxed);
    model_atomics::full_fence();
    sleepers_.wake_all();
    if (!entered) return;
    sleepers_.announce();
    guested_.give_back();
    if (end_.load(std::memory_order_relaxed) != 0) sleepers_.wake_all();  // anything_to_do()
  }
  void run_guested() {
    sleepers_.wait(&guested_, [] { return false; });
    while (end_.load(std::memory_order_relaxed) == 0) rl::yield(1, RL_INFO);
  }
  void run_home() {
    const auto has_mail = [this] { return mail_.load(std::memory_order_relaxed) != 0; };
    sleepers_.wait(&home_, has_mail);
    while (!has_mail()) rl::yield(1, RL_INFO);
    end_.store(1, std::memory_order_relaxed);
    model_atomics::full_fence();
    sleepers_.wake_all();
  }

 private:
  model_futexes futexes_;
  model_sleepers sleepers_;
  model_seat guested_;
  model_seat home_;
  model_atomic<std::uint32_t> mail_;
  model_atomic<std::uint32_t> end_;
};

class mail_suite : public rl::test_suite<mail_suite, 3> {
 public:
  void thread(unsigned index) {
    if (index == 0) model_.run_guest();
    if (index == 1) model_.run_guested();
    if (index == 2) model_.run_home();
  }

 private:
  mail_model model_;
};

// A guest's deque is gone when the guest has left: here it is a plain variable.
class door_model {
 public:
  void run_guest() {
    for (unsigned i = 1; i <= 2; ++i) {
      shown_(RL_INFO) = i;
      door_.open(shown_);
      door_.close([] { rl::yield(1, RL_INFO); });
      shown_(RL_INFO) = 0;
    }
  }
  void run_thief() {
    if (rl::var<unsigned>* const seen = door_.pin()) RL_ASSERT((*seen)(RL_INFO) != 0);
    door_.unpin();
  }

 private:
  rl::var<unsigned> shown_;
  heist::detail::basic_guest_door<model_atomics, rl::var<unsigned>> door_;
};

template <rl::thread_id_t Threads>
class door_suite : public rl::test_suite<door_suite<Threads>, Threads> {
 public:
  void thread(unsigned index) {
    if (index == 0)
      model_.run_guest();
    else
      model_.run_thief();
  }

 private:
  door_model model_;
};

template <class Suite>
outcome run_guests(const plan& p) {
  settings.fence_in_publish = false;
  const outcome o = simulate<Suite>(p);
  settings.fence_in_publish = true;
  return o;
}

struct searched {
  const char* name;
  unsigned threads;
  plan usual;
  outcome (*run)(const plan&);
};

const searched programs[] = {
    {"guest_and_push",
     3,
     {search::bounded, 2},
     run_guests<guest_suite<3, &guest_model::run_pusher>>},
    {"guest_and_entry",
     3,
     {search::bounded, 2},
     run_guests<guest_suite<3, &guest_model::run_injector>>},
    {"two_guests_and_entry",
     4,
     {search::random},
     run_guests<guest_suite<4, &guest_model::run_injector>>},
    {"two_guests_and_push",
     4,
     {search::random},
     run_guests<guest_suite<4, &guest_model::run_pusher>>},
    {"guest_stays", 4, {search::random}, simulate<pass_suite>},
    {"guest_sends_mail", 3, {search::random}, simulate<mail_suite>},
    {"door_one_thief", 2, {search::bounded, 4}, simulate<door_suite<2>>},
    {"door_two_thieves", 3, {search::bounded, 3}, simulate<door_suite<3>>},
};

}  // namespace

family guests_family() {
  family f{"guests", {"seat.hpp"}, {}};
  for (const searched& s : programs)
    f.models.push_back({f.name, s.name, s.threads, 1, s.usual, s.run});
  return f;
}

}  // namespace heist_model
