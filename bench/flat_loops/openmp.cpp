#include "bench/flat_loops/team.hpp"

#if HEIST_BENCH_OPENMP
#include <omp.h>
#endif

namespace heist::bench::flat {

#if HEIST_BENCH_OPENMP

namespace {

// A part for each thread, as schedule(static) deals them out.
class openmp_team final : public team {
 public:
  explicit openmp_team(unsigned threads) : threads_(threads) {}

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

named_team openmp(unsigned threads) { return {"OpenMP", std::make_unique<openmp_team>(threads)}; }

#else

named_team openmp(unsigned) { return {}; }

#endif

}  // namespace heist::bench::flat
