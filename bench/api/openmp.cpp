// OpenMP with the static schedule, and with the dynamic one in chunks of 1024 where an iteration is
// cheap.
#include "bench/api/kernels.hpp"
#include "bench/api/team.hpp"

#if HEIST_BENCH_OPENMP

#include <omp.h>

namespace heist::bench::api {

namespace {

void within(unsigned threads, const std::function<void()>& function) {
  omp_set_num_threads(static_cast<int>(threads));
  function();
}

[[gnu::noinline]] void axpy_static(float a, const float* x, float* y, std::size_t n) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

[[gnu::noinline]] void axpy_dynamic(float a, const float* x, float* y, std::size_t n) {
#pragma omp parallel for schedule(dynamic, 1024)
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

void uneven_static(std::uint64_t* out, std::size_t n) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) out[i] = steps(i, n);
}

void uneven_dynamic(std::uint64_t* out, std::size_t n) {
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < n; ++i) out[i] = steps(i, n);
}

void tiny_static(float a, const float* x, float* y, std::size_t times) {
  for (; times > 0; --times) axpy_static(a, x, y, tiny_size);
}

void tiny_dynamic(float a, const float* x, float* y, std::size_t times) {
  for (; times > 0; --times) axpy_dynamic(a, x, y, tiny_size);
}

void chains_static(std::uint64_t* out, std::size_t n, std::size_t length) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) out[i] = chain(i, length);
}

void chains_dynamic(std::uint64_t* out, std::size_t n, std::size_t length) {
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < n; ++i) out[i] = chain(i, length);
}

double reduce(const double* x, std::size_t n) {
  double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

// A part for each thread, as schedule(static) deals them out.
class teamwork final : public team {
 public:
  explicit teamwork(unsigned threads) : threads_(threads) {}

  void loop(std::size_t n, const part& body) override {
#pragma omp parallel num_threads(threads_)
    body(begin_of(n, 0), begin_of(n, 1));
  }
  double sum(std::size_t n, const part_of_sum& body) override {
    double all = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : all)
    all += body(begin_of(n, 0), begin_of(n, 1));
    return all;
  }

 private:
  // Of the part so many after the calling thread's.
  static std::size_t begin_of(std::size_t n, std::size_t after) {
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    return n * (me + after) / static_cast<std::size_t>(omp_get_num_threads());
  }

  unsigned threads_;
};

}  // namespace

std::unique_ptr<team> openmp_team(unsigned threads) { return std::make_unique<teamwork>(threads); }

std::vector<kernels> openmp() {
  kernels by_plan{"OpenMP static", &within, &axpy_static, &uneven_static, &tiny_static, &reduce};
  kernels by_counter{"OpenMP dynamic", &within, &axpy_dynamic, &uneven_dynamic, &tiny_dynamic};
  by_plan.chains = &chains_static;
  by_counter.chains = &chains_dynamic;
  by_plan.spins = by_counter.spins = openmp_spins;
  return {by_plan, by_counter};
}

}  // namespace heist::bench::api

#else

namespace heist::bench::api {
std::vector<kernels> openmp() { return {}; }
std::unique_ptr<team> openmp_team(unsigned) { return nullptr; }
}  // namespace heist::bench::api

#endif
