// The job system of the article on which job_system is modelled, with the two choices that the
// article measures: the source of the jobs' memory, and the deque. It is as small as possible: the
// caller is one of the threads, idle threads yield, and jobs are empty or nearly empty functions.
//
// Source: S. Reinalter, Job System 2.0, part 3 (Molecular Matters, 2015). Two things are added: if
// the deque is full, the job runs at once, and a job's memory is used again only after the job has
// ended.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include <heist/deque/concept.hpp>

#include "platform/cpu.hpp"

namespace heist::bench::article {

struct job {
  static constexpr std::size_t data_bytes = 96;

  void (*call)(job&) = nullptr;
  job* parent = nullptr;
  std::atomic<std::uint32_t> unfinished{0};  // the function, and each child; 0: the memory is free
  alignas(16) std::byte data[data_bytes]{};
};
static_assert(sizeof(job) == 128);

// A job's memory comes from malloc, and is freed when the job has ended.
struct from_malloc {
  static constexpr const char* name = "malloc";
  job* take() { return new job; }
  void give_back(job* j) noexcept { delete j; }
};

// A job's memory comes from a ring of the thread; nothing has to be done when a job ends.
class from_ring {
 public:
  static constexpr const char* name = "thread-local ring";
  // nullptr means that all places are in use.
  job* take() noexcept {
    for (std::size_t i = 0; i < size; ++i) {
      job& j = ring_[next_++ % size];
      // Acquire: the partner is the end of the job that was in this place.
      if (j.unfinished.load(std::memory_order_acquire) == 0) return &j;
    }
    return nullptr;
  }
  void give_back(job*) noexcept {}

 private:
  static constexpr std::size_t size = 4096;
  std::unique_ptr<job[]> ring_{new job[size]};
  std::size_t next_ = 0;
};

template <deque::work_stealing_deque Deque, class Memory>
class job_threads {
 public:
  using job = article::job*;

  // The number of threads includes the caller of on_worker.
  explicit job_threads(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) all_.push_back(std::make_unique<member>(i));
    for (unsigned i = 1; i < threads; ++i)
      threads_.emplace_back([this, i] { help_until_over(*all_[i]); });
  }
  ~job_threads() {
    phase_.store(phase::over, std::memory_order_release);
    phase_.notify_all();
  }
  job_threads(const job_threads&) = delete;
  job_threads& operator=(const job_threads&) = delete;

  // Wakes the other threads, which look for jobs until f has returned. There may be one caller at a
  // time.
  template <class F>
  auto on_worker(F&& f) {
    me_ = all_[0].get();
    phase_.store(phase::working, std::memory_order_release);
    phase_.notify_all();
    const auto result = f();
    phase_.store(phase::asleep, std::memory_order_release);
    return result;
  }

  // The following functions may be called only by f and by jobs.

  template <class F>
  job create_job(F f) {
    return create(nullptr, f);
  }
  // Must be called before the parent has ended.
  template <class F>
  job create_job_as_child(job parent, F f) {
    // Relaxed: the child runs after this.
    parent->unfinished.fetch_add(1, std::memory_order_relaxed);
    return create(parent, f);
  }

  void run(job j) {
    if (me_->mine.push(j) == deque::push_result::full) execute(*j);
  }

  // For a job without a parent, and only once. Runs other jobs meanwhile.
  void wait(job j) {
    // Acquire: the partner is the end of the job.
    while (j->unfinished.load(std::memory_order_acquire) != 0) help();
    me_->memory.give_back(j);
  }

 private:
  enum class phase : std::uint8_t { asleep, working, over };

  // Each has cache lines of its own: no thread writes to those of another, except that thieves
  // change its deque.
  struct alignas(platform::cache_line_bytes) member {
    static constexpr std::size_t room = 8192;  // untaken jobs of one thread

    explicit member(unsigned i) : jobs(room), seed(i + 1) {}
    Deque jobs;
    decltype(std::declval<Deque&>().owner()) mine = jobs.owner();
    Memory memory;
    std::uint32_t seed;
  };

  template <class F>
  job create(job parent, const F& f) {
    static_assert(std::is_trivially_copyable_v<F> && sizeof(F) <= article::job::data_bytes);
    job j = me_->memory.take();
    while (j == nullptr) {
      help();
      j = me_->memory.take();
    }
    j->parent = parent;
    j->unfinished.store(1, std::memory_order_relaxed);  // the deque publishes it
    std::memcpy(j->data, &f, sizeof(F));
    j->call = [](article::job& self) {
      F& function = *std::launder(reinterpret_cast<F*>(self.data));
      if constexpr (std::is_invocable_v<F&, job>)
        function(&self);
      else
        function();
    };
    return j;
  }

  void execute(article::job& j) {
    j.call(j);
    for (article::job* ended = &j; ended != nullptr;) {
      article::job* const above = ended->parent;
      // Releases this thread's work, and acquires that of the children, for the thread that sees
      // the end.
      if (ended->unfinished.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
      if (above != nullptr) me_->memory.give_back(ended);  // otherwise wait() does
      ended = above;
    }
  }

  // Runs a job: the newest of this thread, or the oldest of another. If there is none, yields the
  // processor.
  void help() {
    member& me = *me_;
    if (const auto own = me.mine.pop()) return execute(**own);
    if (all_.size() > 1) {
      me.seed ^= me.seed << 13;  // Marsaglia's xorshift
      me.seed ^= me.seed >> 17;
      me.seed ^= me.seed << 5;
      member& victim = *all_[me.seed % all_.size()];
      if (&victim != &me) {
        const auto got = victim.jobs.thief().steal();
        if (got.result == deque::steal_result::taken) return execute(*got.item);
      }
    }
    sched_yield();
  }

  void help_until_over(member& me) {
    me_ = &me;
    for (;;) {
      // Acquire: the partner is the store of the thread that changes it.
      const phase now = phase_.load(std::memory_order_acquire);
      if (now == phase::over) return;
      if (now == phase::asleep)
        phase_.wait(phase::asleep, std::memory_order_acquire);
      else
        help();
    }
  }

  static inline thread_local member* me_ = nullptr;

  std::vector<std::unique_ptr<member>> all_;  // constant once the threads run
  std::atomic<phase> phase_{phase::asleep};
  std::vector<std::jthread> threads_;  // end first
};

}  // namespace heist::bench::article
