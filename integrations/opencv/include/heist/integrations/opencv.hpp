// OpenCV's loops on a pool: a backend for cv::parallel_for_, which nearly all of OpenCV's functions
// use.
//
//     heist::integrations::use_in_opencv(pool);  // before other threads use OpenCV
//     cv::GaussianBlur(image, image, {}, 2);     // from any thread, on the pool's workers
//
// Needs OpenCV 4.5.2 or newer.
#pragma once

#include <opencv2/core/parallel/parallel_backend.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "heist/block.hpp"
#include "heist/parallel_for.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0::integrations {

// The pool must outlive OpenCV's last loop.
class opencv_backend : public cv::parallel::ParallelForAPI {
 public:
  explicit opencv_backend(pool& p) noexcept : pool_(p) {}

  // Calls body(first, last, data) for parts of [0, tasks), on the pool's workers: at most
  // getNumThreads() at once. Throws what body throws, which OpenCV lets it do nowhere: it carries
  // exceptions itself. Where the caller is a worker, it may return on another one.
  void parallel_for(int tasks, FN_parallel_for_body_cb_t body, void* data) override {
    if (tasks <= 0) return;
    const auto n = static_cast<std::size_t>(tasks);
    const int limit = getNumThreads();
    if (limit < static_cast<int>(pool_.slots())) return on_few(limit, tasks, body, data);
    heist::parallel_for(pool_, block<2>{{0, 0}, {n, 1}}, [=](const block<2>& part) {
      body(static_cast<int>(part.first[0]), static_cast<int>(part.last[0]), data);
    });
  }

  // In a loop: a number from 0 to getNumThreads() - 1 that no other call of the body has at that
  // time; a body that waits in heist may have another one afterwards. Elsewhere: one of the range.
  [[nodiscard]] int getThreadNum() const override {
    const int worker = pool_.worker_index();
    const int limit = getNumThreads();
    if (worker < 0) return 0;
    if (limit == static_cast<int>(pool_.slots())) return worker;
    // Relaxed: the worker itself wrote it.
    const int number = numbers_[static_cast<std::size_t>(worker)].load(std::memory_order_relaxed);
    return std::min(number, limit - 1);
  }

  [[nodiscard]] int getNumThreads() const override {
    // Relaxed: it is a limit for the loops that follow, and guards nothing.
    return limit_.load(std::memory_order_relaxed);
  }

  // Returns the number before. All workers: 0 or less, or more than there are. cv::setNumThreads(0)
  // and (1) make OpenCV call no backend at all, and (-1) asks for as many as processors.
  int setNumThreads(int threads) override {
    const auto most = static_cast<int>(pool_.slots());
    return limit_.exchange(threads <= 0 || threads > most ? most : threads,
                           std::memory_order_relaxed);
  }

  [[nodiscard]] const char* getName() const override { return "heist"; }

 private:
  // `limit` functions take the tasks one after the other from a counter, so no more run at once.
  void on_few(int limit, int tasks, FN_parallel_for_body_cb_t body, void* data) {
    std::atomic<int> next{0};
    heist::parallel_for(pool_, 0, limit, [&, body, data, tasks](int number) {
      // Relaxed: each value is taken once, and what was done is read after the loop.
      for (int i; (i = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) {
        const auto worker = static_cast<std::size_t>(pool_.worker_index());
        numbers_[worker].store(number, std::memory_order_relaxed);  // getThreadNum() says why
        body(i, i + 1, data);
      }
    });
  }

  pool& pool_;
  std::atomic<int> limit_{static_cast<int>(pool_.slots())};
  // Of each worker, where fewer than all may run: the number of the function that it last ran.
  std::vector<std::atomic<int>> numbers_ = std::vector<std::atomic<int>>(pool_.slots());
};

// Makes all of OpenCV's loops run on `p`, on all of its workers, for the rest of the process or
// until another backend is set. Not thread-safe.
inline void use_in_opencv(pool& p) {
  constexpr bool takes_opencvs_number_of_threads = false;
  cv::parallel::setParallelForBackend(std::make_shared<opencv_backend>(p),
                                      takes_opencvs_number_of_threads);
}

}  // namespace heist::inline v0::integrations
