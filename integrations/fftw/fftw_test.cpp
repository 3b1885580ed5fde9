// A plan of FFTW gives the same bits on heist's workers as on FFTW's own threads, and a serial
// plan's numbers up to rounding: plans for another number of threads add in another order.
#include "heist/integrations/fftw.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <memory>
#include <thread>
#include <vector>

#include "heist/scope.hpp"

namespace heist_test {
namespace {

template <class Real>
using signal = std::vector<std::complex<Real>>;

constexpr int rows = 200;
constexpr int columns = 250;
// Of results up to 5e4: log2(50,000) roundings of 1e-16 or 1e-7 each, with room.
constexpr double tolerance = 1e-8;
constexpr float float_tolerance = 10;

template <class Real>
signal<Real> noise() {
  signal<Real> s(std::size_t{rows} * columns);
  unsigned random = 1;
  for (auto& x : s) {
    random = random * 1664525 + 1013904223;
    x = {static_cast<Real>(random >> 16) / 65536, static_cast<Real>(random & 0xffff) / 65536};
  }
  return s;
}

template <class Real>
double distance(const signal<Real>& a, const signal<Real>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, double{std::abs(a[i] - b[i])});
  return most;
}

// A two-dimensional transform of doubles.
class transform {
 public:
  explicit transform(int threads, unsigned how = FFTW_ESTIMATE) {
    fftw_plan_with_nthreads(threads);
    signal<double> in = noise<double>(), out = in;
    plan_.reset(fftw_plan_dft_2d(rows, columns, as_fftw(in), as_fftw(out), FFTW_FORWARD,
                                 how | FFTW_UNALIGNED));
  }
  // Thread-safe.
  [[nodiscard]] signal<double> operator()() const {
    signal<double> in = noise<double>(), out(in.size());
    fftw_execute_dft(plan_.get(), as_fftw(in), as_fftw(out));
    return out;
  }

 private:
  struct destroying {
    void operator()(fftw_plan p) const { fftw_destroy_plan(p); }
  };
  static fftw_complex* as_fftw(signal<double>& s) {
    return reinterpret_cast<fftw_complex*>(s.data());
  }
  std::unique_ptr<fftw_plan_s, destroying> plan_;
};

class Fftw : public testing::TestWithParam<unsigned> {
 protected:
  ~Fftw() override { fftw_threads_set_callback(nullptr, nullptr); }  // FFTW's own threads again
  heist::pool pool_{{.workers = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(Workers, Fftw, testing::Values(1, 2, 3, 8));

TEST_P(Fftw, TheSameBitsAsOnItsOwnThreads) {
  ASSERT_NE(fftw_init_threads(), 0);
  for (const int threads : {2, 5}) {
    const transform plan(threads);
    const signal<double> expected = plan();
    heist::integrations::use_in_fftw(pool_);
    const std::uint64_t before = pool_.stats().total.roots;
    EXPECT_EQ(plan(), expected);
    EXPECT_GT(pool_.stats().total.roots, before);  // it ran here
    fftw_threads_set_callback(nullptr, nullptr);
    const std::uint64_t after = pool_.stats().total.roots;
    EXPECT_EQ(plan(), expected);
    EXPECT_EQ(pool_.stats().total.roots, after);
  }
}

TEST_P(Fftw, ASerialPlansNumbers) {
  heist::integrations::use_in_fftw(pool_);
  EXPECT_EQ(fftw_planner_nthreads(), static_cast<int>(GetParam()));
  const transform serial(1);
  const transform parallel(8, FFTW_MEASURE);  // measured on the pool
  EXPECT_LT(distance(serial(), parallel()), tolerance);
}

TEST_P(Fftw, ExecutedByWorkersAndThreadsAtOnce) {
  heist::integrations::use_in_fftw(pool_);
  const transform plan(4);
  const signal<double> expected = plan();
  std::atomic<int> same{0};
  const auto execute = [&] { same += plan() == expected; };
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back(execute);
  pool_.run([&] {
    heist::scope([&](heist::task_scope& s) {
      for (int i = 0; i < 8; ++i) s.spawn(execute);
    });
  });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(same.load(), 10);
}

TEST_P(Fftw, Floats) {
  const auto transformed = [](int threads) {
    fftwf_plan_with_nthreads(threads);
    signal<float> in = noise<float>(), out(in.size());
    const fftwf_plan plan = fftwf_plan_dft_2d(
        rows, columns, reinterpret_cast<fftwf_complex*>(in.data()),
        reinterpret_cast<fftwf_complex*>(out.data()), FFTW_FORWARD, FFTW_ESTIMATE);
    fftwf_execute(plan);
    fftwf_destroy_plan(plan);
    return out;
  };
  heist::integrations::use_in_fftwf(pool_);
  const std::uint64_t before = pool_.stats().total.roots;
  const signal<float> parallel = transformed(4);
  EXPECT_GT(pool_.stats().total.roots, before);
  EXPECT_LT(distance(parallel, transformed(1)), float_tolerance);
  fftwf_threads_set_callback(nullptr, nullptr);
}

TEST_P(Fftw, EachJobOnce) {
  std::vector<std::atomic<int>> jobs(1000);
  const auto work = [](char* job) -> void* {
    reinterpret_cast<std::atomic<int>*>(job)->fetch_add(1);
    return nullptr;
  };
  heist::integrations::fftw_loop(work, reinterpret_cast<char*>(jobs.data()), sizeof(jobs[0]), 999,
                                 &pool_);
  for (std::size_t i = 0; i < 999; ++i) ASSERT_EQ(jobs[i].load(), 1);
  EXPECT_EQ(jobs[999].load(), 0);
  heist::integrations::fftw_loop(work, nullptr, 8, 0, nullptr);
}

}  // namespace
}  // namespace heist_test
