// oneTBB, as its documentation has these: blocked_range with the auto_partitioner, which is the default.
#include "bench/api/kernels.hpp"

#if HEIST_BENCH_ONETBB

#include <functional>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

namespace heist::bench::api {

namespace {

using range = tbb::blocked_range<std::size_t>;

[[gnu::noinline]] void axpy(float a, const float* x, float* y, std::size_t n) {
  tbb::parallel_for(range(0, n), [=](const range& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) y[i] += a * x[i];
  });
}

void uneven(std::uint64_t* out, std::size_t n) {
  tbb::parallel_for(range(0, n), [=](const range& r) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) out[i] = steps(i, n);
  });
}

void tiny(float a, const float* x, float* y, std::size_t times) {
  for (; times > 0; --times) axpy(a, x, y, tiny_size);
}

double reduce(const double* x, std::size_t n) {
  return tbb::parallel_reduce(
      range(0, n), 0.0,
      [=](const range& r, double sum) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) sum += x[i];
        return sum;
      },
      std::plus<>());
}

void scan(const std::int64_t* x, std::int64_t* out, std::size_t n) {
  tbb::parallel_scan(
      range(0, n), std::int64_t{0},
      [=](const range& r, std::int64_t sum, bool is_final) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
          sum += x[i];
          if (is_final) out[i] = sum;
        }
        return sum;
      },
      std::plus<>());
}

void sort(std::int64_t* x, std::size_t n) { tbb::parallel_sort(x, x + n); }

void within(unsigned threads, const std::function<void()>& function) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute(function);
}

}  // namespace

std::vector<kernels> onetbb() {
  return {{"oneTBB", &within, &axpy, &uneven, &tiny, &reduce, &scan, &sort}};
}

}  // namespace heist::bench::api

#else

namespace heist::bench::api {
std::vector<kernels> onetbb() { return {}; }
}  // namespace heist::bench::api

#endif
