#include "bench/priorities/onetbb_flood.hpp"

#include <array>
#include <memory>

#if HEIST_BENCH_ONETBB
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#endif

namespace heist::bench {

#if HEIST_BENCH_ONETBB

namespace {

class arenas {
 public:
  // One thread more than workers: the caller, which waits in no arena, counts as one.
  explicit arenas(unsigned workers)
      : limit_(tbb::global_control::max_allowed_parallelism, workers + 1),
        levels_{{{static_cast<int>(workers), 0, tbb::task_arena::priority::high},
                 {static_cast<int>(workers), 0, tbb::task_arena::priority::normal},
                 {static_cast<int>(workers), 0, tbb::task_arena::priority::low}}} {}

  void measure(const flood& f, priority flooding, priority measured, samples& waits_us) {
    tbb::task_group all;
    const auto into = [&](priority level) {
      return [&all, &arena = levels_[static_cast<std::size_t>(level)]](auto&& function) {
        arena.enqueue(all.defer(function));
      };
    };
    wait_under_flood(
        f, into(flooding), into(measured), [&] { all.wait(); }, waits_us);
  }

 private:
  tbb::global_control limit_;
  std::array<tbb::task_arena, 3> levels_;  // as in heist::priority
};

}  // namespace

flood_measurement onetbb_flood(unsigned workers) {
  return [all = std::make_shared<arenas>(workers)](const flood& f, priority flooding,
                                                   priority measured, samples& waits_us) {
    all->measure(f, flooding, measured, waits_us);
  };
}

#else

flood_measurement onetbb_flood(unsigned) { return {}; }

#endif

}  // namespace heist::bench
