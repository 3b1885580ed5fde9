#include "bench/flat_loops/team.hpp"

#if HEIST_BENCH_ONETBB
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#endif

namespace heist::bench::flat {

#if HEIST_BENCH_ONETBB

namespace {

class onetbb_team final : public team {
 public:
  explicit onetbb_team(unsigned threads)
      : limit_(tbb::global_control::max_allowed_parallelism, threads) {}

  void loop(std::size_t n, const part& body) override {
    tbb::parallel_for(range(0, n), [&body](const range& r) { body(r.begin(), r.end()); });
  }
  double sum(std::size_t n, const part_of_sum& body) override {
    return tbb::parallel_reduce(
        range(0, n), 0.0,
        [&body](const range& r, double before) { return before + body(r.begin(), r.end()); },
        std::plus{});
  }

 private:
  using range = tbb::blocked_range<std::size_t>;

  tbb::global_control limit_;
};

}  // namespace

named_team onetbb(unsigned threads) { return {"oneTBB", std::make_unique<onetbb_team>(threads)}; }

#else

named_team onetbb(unsigned) { return {}; }

#endif

}  // namespace heist::bench::flat
