// The thread that rings alarms, and the heap of those that are set.
//
// mutex_ guards everything but the pointer to the current object. A child of fork() finds the
// object of another process, whose thread it doesn't have and whose lock may be held for ever, and
// makes its own.
#include "heist/detail/alarm.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "heist/error.hpp"
#include "platform/thread.hpp"

namespace heist::inline v0::detail {

class alarms {
 public:
  static alarms& of_this_process();

  // Makes sure that one more alarm can be set.
  void prepare();
  void set(alarm& a) noexcept;
  void forget(alarm& a) noexcept;

 private:
  explicit alarms(alarms* previous) : process_(::getpid()), previous_(previous) {}
  void start_thread();
  void run() noexcept;
  void take_out(alarm& a) noexcept;
  void put(std::size_t place, alarm& a) noexcept {
    heap_[place - 1] = &a;
    a.place_ = place;
  }
  void sift_up(alarm& a, std::size_t place) noexcept;
  void sift_down(alarm& a, std::size_t place) noexcept;

  static inline std::atomic<alarms*> current{nullptr};

  const pid_t process_;
  [[maybe_unused]] alarms* const previous_;  // the parent process's, so that leak checkers find it
  std::mutex mutex_;
  std::condition_variable earlier_;  // the first alarm is another one
  bool has_thread_ = false;
  std::size_t prepared_ = 0;    // alarms that exist, set or not; heap_ has capacity for all
  std::vector<alarm*> heap_{};  // the earliest first; place p has its successors at 2 p and 2 p + 1
};

// Never destroyed: its thread outlives the program's statics.
alarms& alarms::of_this_process() {
  // Acquire: partner is the exchange below.
  alarms* seen = current.load(std::memory_order_acquire);
  const pid_t process = ::getpid();
  while (seen == nullptr || seen->process_ != process) {
    std::unique_ptr<alarms> made(new alarms(seen));
    if (current.compare_exchange_strong(seen, made.get(), std::memory_order_acq_rel,
                                        std::memory_order_acquire))
      return *made.release();
  }
  return *seen;
}

void alarms::prepare() {
  const std::lock_guard hold(mutex_);
  if (!has_thread_) start_thread();
  if (prepared_ == heap_.capacity()) heap_.reserve(std::max<std::size_t>(16, 2 * prepared_));
  ++prepared_;
}

// Its signals are for the program's other threads to handle.
void alarms::start_thread() {
  const platform::signals_held hold;
  auto thread = platform::try_start_thread([this] { run(); });
  if (!thread)
    throw resource_error(std::string("no thread for time limits: ") + std::strerror(errno));
  thread->detach();
  has_thread_ = true;
}

void alarms::run() noexcept {
  platform::set_thread_name("heist-alarms");
  std::unique_lock hold(mutex_);
  for (;;) {
    if (heap_.empty()) {
      earlier_.wait(hold);
      continue;
    }
    alarm& first = *heap_.front();
    const auto left = first.due_ - std::chrono::steady_clock::now();
    if (left <= left.zero()) {
      take_out(first);
      first.ring_(first);  // it may be gone soon after this thread releases the lock
    } else {
      // At most an hour: no clock's arithmetic overflows with that.
      earlier_.wait_for(hold, std::min<due_time::duration>(left, std::chrono::hours(1)));
    }
  }
}

void alarms::set(alarm& a) noexcept {
  const std::lock_guard hold(mutex_);
  heap_.push_back(&a);
  sift_up(a, heap_.size());
  if (a.place_ == 1) earlier_.notify_one();
}

void alarms::forget(alarm& a) noexcept {
  const std::lock_guard hold(mutex_);
  --prepared_;
  if (a.place_ != 0) take_out(a);
}

void alarms::take_out(alarm& a) noexcept {
  const std::size_t place = std::exchange(a.place_, 0);
  alarm& last = *heap_.back();
  heap_.pop_back();
  if (&last == &a) return;
  sift_down(last, place);
  sift_up(last, last.place_);
}

void alarms::sift_up(alarm& a, std::size_t place) noexcept {
  for (; place > 1 && a.due_ < heap_[place / 2 - 1]->due_; place /= 2)
    put(place, *heap_[place / 2 - 1]);
  put(place, a);
}

void alarms::sift_down(alarm& a, std::size_t place) noexcept {
  for (std::size_t next = 2 * place; next <= heap_.size(); place = next, next = 2 * place) {
    if (next < heap_.size() && heap_[next]->due_ < heap_[next - 1]->due_) ++next;
    if (heap_[next - 1]->due_ >= a.due_) break;
    put(place, *heap_[next - 1]);
  }
  put(place, a);
}

alarm::alarm(function ring, due_time due)
    : alarms_(alarms::of_this_process()), ring_(ring), due_(due) {
  alarms_.prepare();
}
alarm::~alarm() { alarms_.forget(*this); }
void alarm::set() noexcept { alarms_.set(*this); }

}  // namespace heist::inline v0::detail
