// An owner that pushes without a fence, and thieves that sleep when they find nothing.
//
// The deque and the counting of sleepers are the library's (split_control.hpp, sleepers.hpp);
// sleep() and wake_for_exposed() are pool_impl's steps with one victim. Each thief takes one item
// and keeps it for ever, and there are enough items for all. A thief that sleeps when all other
// threads have ended has therefore lost a wake-up, and Relacy reports a deadlock. This is the
// strong property: no thread sleeps beside an item that nobody takes, even if others are awake.
#pragma once

#include "tests/model/relacy.hpp"

#include "heist/deque/split_control.hpp"
#include "runtime/core/seat.hpp"
#include "runtime/core/sleepers.hpp"
#include "tests/model/seam.hpp"

namespace heist_model {

struct sleep_script {
  const char* name;
  // p push, l push that answers sleepers only (S7), v push on a deque on which all see it (S9),
  // o pop, i an item from outside, m mail for the first thief, which then ends the pool, e the end
  // of the pool
  const char* owner;
  bool thieves_ask = false;     // thieves may ask or expose before they sleep
  bool spurious_wakes = false;  // the futex may return for no reason
};

inline const sleep_script* running_sleep_script = nullptr;

// The futex compares and sleeps in one step, wakes any sleeper, and orders nothing.
class model_futex {
 public:
  void wait(model_atomic<std::uint32_t>& word, std::uint32_t seen) {
    rl::context& c = rl::ctx();
    c.sched();
    if (!word.is_now(seen)) return;  // if it is, up to park_current_thread nobody else runs
    const rl::thread_id_t self = c.threadx_->index_;
    waiting_[count_++] = self;
    const auto reason =
        c.park_current_thread(false, running_sleep_script->spurious_wakes, false, RL_INFO);
    if (reason != rl::unpark_reason_normal) remove(self);
  }
  void wake_one() {
    rl::context& c = rl::ctx();
    c.sched();
    if (count_ == 0) return;
    const rl::thread_id_t chosen = waiting_[count_ == 1 ? 0 : rl::rand(count_)];
    remove(chosen);
    c.unpark_thread(chosen, false, RL_INFO);
  }
  void wake_all() {
    rl::context& c = rl::ctx();
    c.sched();
    while (count_ != 0) {
      const rl::thread_id_t chosen = waiting_[0];
      remove(chosen);
      c.unpark_thread(chosen, false, RL_INFO);
    }
  }

 private:
  void remove(rl::thread_id_t thread) {
    auto* const end = waiting_.begin() + count_;
    if (std::remove(waiting_.begin(), end, thread) != end) --count_;
  }

  std::array<rl::thread_id_t, 4> waiting_{};
  unsigned count_ = 0;
};
inline model_futex* running_futex = nullptr;

struct model_parking : model_atomics {
  static void futex_wait(model_atomic<std::uint32_t>& word, std::uint32_t seen,
                         heist::platform::park_bits) {
    running_futex->wait(word, seen);
  }
  // Wakes any sleeper, whichever is preferred.
  static void futex_wake_one(model_atomic<std::uint32_t>&, heist::platform::park_bits) {
    running_futex->wake_one();
  }
  static void futex_wake_all(model_atomic<std::uint32_t>&) {
    if (is_running(change::mail_wakes_one)) return running_futex->wake_one();
    running_futex->wake_all();
  }
};

class sleep_model {
 public:
  using control = heist::deque::split_control<model_atomics, 1>;
  static constexpr unsigned capacity = 4;

  sleep_model() : play_(*running_sleep_script), outside_(0), mail_(0), end_(0) {
    void* place = control_memory_;
    std::size_t space = sizeof(control_memory_);
    std::align(alignof(control), sizeof(control), place, space);
    control_ = std::construct_at(static_cast<control*>(place), capacity, memory_, capacity);
    running_futex = &futex_;
    head_looks = {};
  }
  ~sleep_model() { std::destroy_at(control_); }
  sleep_model(const sleep_model&) = delete;
  sleep_model& operator=(const sleep_model&) = delete;

  void run_owner() {
    bool waits = false;  // for an item that was stolen, for ever: no pushes and pops any more
    for (const char* step = play_.owner; *step != 0; ++step) {
      if (*step == 'p' && !waits) push(false);
      if (*step == 'l' && !waits) push(true);
      if (*step == 'o' && !waits) waits = !pop();
      if (*step == 'v') push_visible();
      if (*step == 'i') inject();
      if (*step == 'm') send_mail();
      if (*step == 'e') end_pool();
    }
  }

  void run_thief(unsigned index) {
    for (;;) {
      if (has_mail(index)) return end_pool();
      if (find_work()) {
        if (!expects_mail(index)) return;
      } else if (end_.load(std::memory_order_relaxed) != 0) {
        return;
      } else {
        const unsigned choice = play_.thieves_ask ? rl::rand(3) : 0;
        if (choice == 1) control_->ask();
        if (choice == 2) control_->expose(heavy_barrier);
        sleep(index);
      }
    }
  }

 private:
  void push(bool for_sleepers_only) {
    const unsigned h = depth_++;
    items_[h](RL_INFO) = h + 1;
    control_->publish(h);
    if (!control_->asked(h)) return;
    if (for_sleepers_only && (!sleepers_.any() || is_running(change::no_look_for_sleepers))) return;
    if (control_->on_limit(h).exposed) wake_for_exposed();
  }

  // Returns false if the item was stolen.
  bool pop() {
    const unsigned h = --depth_;
    std::uint32_t reclaimed = 0;
    return control_->take_private(h) ||
           control_->pop_slow(h, reclaimed) == heist::deque::pop_result::taken;
  }

  void wake_for_exposed() {
    if (!is_running(change::no_fence_to_wake)) model_parking::full_fence();
    if (!sleepers_.wake_one()) return;
    if (sleepers_.any() && !is_running(change::no_second_request)) control_->ask();
  }

  // The item lies where those from outside do: any thief takes it there.
  void push_visible() {
    outside_.fetch_add(1, std::memory_order_relaxed);
    model_parking::light_barrier();
    if (sleepers_.any()) sleepers_.wake_one();
  }

  void inject() {
    outside_.fetch_add(1, std::memory_order_relaxed);
    model_parking::full_fence();
    sleepers_.wake_one();
  }

  void send_mail() {
    mail_.store(1, std::memory_order_relaxed);
    model_parking::full_fence();
    sleepers_.wake_all();
  }

  void end_pool() {
    end_.store(1, std::memory_order_relaxed);
    if (!is_running(change::no_fence_at_end)) model_parking::full_fence();
    sleepers_.wake_all();
  }

  // The first thief continues until its mail comes, whatever other work it finds.
  bool expects_mail(unsigned index) const {
    return index == 1 && std::strchr(play_.owner, 'm') != nullptr;
  }
  bool has_mail(unsigned index) { return index == 1 && mail_.load(std::memory_order_relaxed) != 0; }

  // Without pushes, using the deque would only add steps to the search.
  bool uses_deque() const { return std::strpbrk(play_.owner, "pl") != nullptr; }

  bool steal() {
    const auto answer = control_->steal();
    if (answer.result != heist::deque::steal_result::taken) return false;
    const auto h = static_cast<unsigned>(answer.item - memory_);
    RL_ASSERT(h < capacity && !taken_[h]);
    taken_[h] = true;
    RL_ASSERT(items_[h](RL_INFO) == h + 1);
    if (control_->has_public() && sleepers_.any()) sleepers_.wake_one();  // S8
    return true;
  }

  bool find_work() {
    if (uses_deque() && steal()) return true;
    std::uint32_t left = outside_.load(std::memory_order_relaxed);
    while (left != 0)
      if (outside_.compare_exchange_weak(left, left - 1, std::memory_order_relaxed,
                                         std::memory_order_relaxed))
        return true;
    return false;
  }

  bool anything_to_do(unsigned index) {
    if (outside_.load(std::memory_order_relaxed) != 0 || has_mail(index)) return true;
    if (end_.load(std::memory_order_relaxed) != 0) return true;
    if (!uses_deque()) return false;
    return is_running(change::public_look_only) ? control_->has_public() : control_->has_work();
  }

  void sleep(unsigned index) {
    if (is_running(change::request_before_count)) control_->ask();
    if (!is_running(change::count_after_barrier)) sleepers_.announce();
    if (uses_deque()) {
      if (!is_running(change::request_before_count)) control_->ask();
      heavy_barrier();
    }
    if (is_running(change::count_after_barrier)) sleepers_.announce();
    if (anything_to_do(index)) {
      sleepers_.retract();
      if (uses_deque()) control_->expose(heavy_barrier);
      return;
    }
    sleepers_.wait(no_seat,
                   [this, index] { return has_mail(index) && !is_running(change::no_mail_look); });
  }

  static constexpr heist::detail::basic_seat<model_parking>* no_seat = nullptr;

  const sleep_script& play_;
  char control_memory_[sizeof(control) + alignof(control)];
  control* control_;
  heist::detail::basic_sleepers<model_parking> sleepers_;
  model_futex futex_;
  model_atomic<std::uint32_t> outside_;  // items in the injection queue
  model_atomic<std::uint32_t> mail_;     // for the first thief
  model_atomic<std::uint32_t> end_;
  rl::var<unsigned> items_[capacity];
  char memory_[capacity + 1];
  bool taken_[capacity] = {};
  unsigned depth_ = 0;
};

template <rl::thread_id_t Threads>
class sleep_suite : public rl::test_suite<sleep_suite<Threads>, Threads> {
 public:
  void thread(unsigned index) {
    if (index == 0)
      model_.run_owner();
    else
      model_.run_thief(index);
  }

 private:
  sleep_model model_;
};

}  // namespace heist_model
