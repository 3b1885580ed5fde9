// One line for each algorithm: its name, the number of elements, and the median and the least time
// of some runs, in microseconds. Compiled once for each backend, and once without a policy (see
// CMakeLists.txt); the script bench runs these programs in turn.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#if defined(PSTL_BENCH_SERIAL)
#define POLICY
#else
#define POLICY std::execution::par,
#endif

namespace {

using clock_type = std::chrono::steady_clock;

int runs = 5;
double kept = 0;  // what results go to, so that no algorithm can be left out

template <class Prepare, class Run>
void measure(const char* name, std::size_t n, const Prepare& prepare, const Run& run) {
  // Short ones are repeated, so that a run takes some microseconds.
  const int repeat = static_cast<int>(std::max<std::size_t>(1, 50'000 / n));
  std::vector<double> times;
  for (int i = -1; i < runs; ++i) {
    double sum = 0;
    for (int k = 0; k < repeat; ++k) {
      prepare();
      const auto before = clock_type::now();
      run();
      sum += std::chrono::duration<double, std::micro>(clock_type::now() - before).count();
    }
    if (i >= 0) times.push_back(sum / repeat);  // the first one only warms up
  }
  std::sort(times.begin(), times.end());
  std::printf("%s %zu %.3f %.3f\n", name, n, times[times.size() / 2], times.front());
}

struct data {
  explicit data(std::size_t n) : in(n), out(n), longs(n), work(n), merged(2 * n) {
    std::mt19937_64 random(42);
    for (auto& x : in) x = static_cast<double>(random() % 1'000'000) * 0x1p-10;
    const auto draw = [&](auto& v) {
      for (auto& x : v) x = static_cast<std::int64_t>(random() >> 1);
    };
    draw(longs);
    // So many that no branch predictor remembers them all.
    pairs.resize(std::max<std::size_t>(1, 500'000 / n));
    for (auto& pair : pairs) {
      for (auto* const v : {&pair.first, &pair.second}) {
        v->resize(n);
        draw(*v);
        std::sort(v->begin(), v->end());
      }
    }
  }
  std::vector<double> in, out;
  std::vector<std::int64_t> longs, work, merged;
  std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> pairs;
  std::size_t next = 0;
};

void measure_all(std::size_t n) {
  data d(n);
  const auto nothing = [] {};
  const auto shuffled = [&] { d.work = d.longs; };
  measure("for_each", n, nothing, [&] {
    std::for_each(POLICY d.out.begin(), d.out.end(), [](double& x) { x = x * 0.5 + 1.0; });
  });
  measure("for_each_heavy", n / 10, nothing, [&] {
    std::for_each(POLICY d.out.begin(), d.out.begin() + static_cast<long>(n / 10),
                  [](double& x) { x = std::sin(x) + std::cos(x); });
  });
  measure("reduce", n, nothing, [&] { kept += std::reduce(POLICY d.in.begin(), d.in.end(), 0.0); });
  measure("transform_reduce", n, nothing, [&] {
    kept += std::transform_reduce(POLICY d.in.begin(), d.in.end(), d.out.begin(), 0.0);
  });
  measure("count_if", n, nothing, [&] {
    kept += static_cast<double>(
        std::count_if(POLICY d.longs.begin(), d.longs.end(), [](auto x) { return x % 3 == 0; }));
  });
  measure("find", n, nothing, [&] {
    kept += static_cast<double>(std::find(POLICY d.longs.begin(), d.longs.end(), std::int64_t{-1}) -
                                d.longs.begin());
  });
  measure("inclusive_scan", n, nothing,
          [&] { std::inclusive_scan(POLICY d.in.begin(), d.in.end(), d.out.begin()); });
  measure("inclusive_scan_longs", n, nothing, [&] {
    std::inclusive_scan(POLICY d.longs.begin(), d.longs.end(), d.work.begin(), std::bit_xor<>{});
  });
  measure("copy_if", n, nothing, [&] {
    std::copy_if(POLICY d.longs.begin(), d.longs.end(), d.work.begin(),
                 [](auto x) { return x % 3 == 0; });
  });
  measure("sort", n, shuffled, [&] { std::sort(POLICY d.work.begin(), d.work.end()); });
  measure("stable_sort", n, shuffled,
          [&] { std::stable_sort(POLICY d.work.begin(), d.work.end()); });
  measure("partial_sort", n, shuffled, [&] {
    std::partial_sort(POLICY d.work.begin(), d.work.begin() + static_cast<long>(n / 100 + 1),
                      d.work.end());
  });
  measure("partition", n, shuffled, [&] {
    kept += static_cast<double>(
        std::partition(POLICY d.work.begin(), d.work.end(), [](auto x) { return x % 2 == 0; }) -
        d.work.begin());
  });
  measure(
      "merge", n, [&] { d.next = (d.next + 1) % d.pairs.size(); },
      [&] {
        const auto& [a, b] = d.pairs[d.next];
        std::merge(POLICY a.begin(), a.end(), b.begin(), b.end(), d.merged.begin());
      });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) runs = std::atoi(argv[1]);
  measure_all(4'000'000);
  measure_all(10'000);
  measure_all(300);
  return kept == 0.12345 ? 1 : 0;
}
