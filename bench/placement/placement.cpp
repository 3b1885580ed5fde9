// Measures a loop of four instructions, axpy, as often as it is compiled here: each copy begins
// where the linker puts it, and a loop that lies across two lines of the instruction cache can take
// twice as long as one that doesn't. The copies of parallel_for must not depend on it.
//
// One worker, and arrays that stay in the cache. A copy runs for milliseconds at a time, in turn
// with the others, and what counts is its least time: a place costs the same each time, which other
// activity on the machine and changes of the processor's clock do not.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bench/rounds.hpp"
#include "heist/parallel_for.hpp"
#include "heist/transform.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr double most_to_plain = 1.03;
constexpr std::size_t copies = 8;
constexpr std::size_t turns = 40;  // of each copy in a round, of which the least counts

struct arrays {
  std::vector<float> x;
  std::vector<float> y;
};

// Different code before each copy, so that all begin elsewhere.
template <std::size_t Copy>
[[gnu::always_inline]] inline void take_some_space() {
  if constexpr (Copy != 0) asm volatile(".skip %c0, 0x90" : : "i"(Copy * 7));
}

template <std::size_t Copy>
[[gnu::noinline]] void plainly(arrays& a) {
  take_some_space<Copy>();
  const std::size_t n = a.x.size();
  const float* const x = a.x.data();
  float* const y = a.y.data();
  for (std::size_t i = 0; i < n; ++i) y[i] += 2.0F * x[i];
}

template <std::size_t Copy>
[[gnu::noinline]] void by_loop(arrays& a) {
  take_some_space<Copy>();
  const float* const x = a.x.data();
  float* const y = a.y.data();
  heist::parallel_for(std::size_t{0}, a.x.size(), [=](std::size_t i) { y[i] += 2.0F * x[i]; });
}

template <std::size_t Copy>
[[gnu::noinline]] void by_transform(arrays& a) {
  take_some_space<Copy>();
  heist::transform(a.x.begin(), a.x.end(), a.y.begin(), a.y.begin(),
                   [](float x, float y) { return y + 2.0F * x; });
}

// The copies of one form, and what an iteration of each took.
struct form {
  std::string name;
  std::vector<void (*)(arrays&)> each;
  std::vector<samples> ns = std::vector<samples>(copies);
};

std::vector<form> all_forms() {
  return []<std::size_t... K>(std::index_sequence<K...>) {
    return std::vector<form>{{"plain loop", {&plainly<K>...}},
                             {"parallel_for", {&by_loop<K>...}},
                             {"transform", {&by_transform<K>...}}};
  }(std::make_index_sequence<copies>());
}

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {
      integer_option("n", "elements of each array", quick ? 1000 : 8192, 1, 1'000'000'000),
      integer_option("times", "how often a copy runs in a turn", quick ? 10 : 500, 1, 8'000'000)};
}

double ns_an_iteration(void (*copy)(arrays&), arrays& a, std::size_t times) {
  std::fill(a.y.begin(), a.y.end(), 0.0F);
  const double seconds = seconds_of([&] {
    for (std::size_t k = 0; k < times; ++k) copy(a);
  });
  // Exact: no sum is more than 2^24.
  check_result("axpy", 2 * times, static_cast<std::uint64_t>(a.y.back()));
  return seconds / static_cast<double>(times * a.x.size()) * 1e9;
}

results run(const workloads::option_values& values, const settings& with) {
  whole_pool one({.workers = 1});
  arrays a{std::vector<float>(values.size("n"), 1.0F), std::vector<float>(values.size("n"))};
  std::vector<form> forms = all_forms();
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    one.run([&] {
      std::vector<std::vector<double>> least(forms.size(), std::vector<double>(copies));
      for (std::size_t turn = 0; turn < turns; ++turn)
        for (std::size_t k = 0; k < copies; ++k)
          for (std::size_t f = 0; f < forms.size(); ++f) {
            const double ns = ns_an_iteration(forms[f].each[k], a, values.size("times"));
            least[f][k] = turn == 0 ? ns : std::min(ns, least[f][k]);
          }
      for (std::size_t f = 0; f < forms.size(); ++f)
        for (std::size_t k = 0; k < copies; ++k) forms[f].ns[k].add(least[f][k]);
    });
  }

  results r;
  r.title = fmt::format("axpy of {} elements in {} places, 1 worker; {} rounds", a.x.size(), copies,
                        with.repeat);
  const auto by_least = [](const samples& p, const samples& q) { return p.least() < q.least(); };
  const auto& plain = forms.front().ns;
  const double fastest_plain = std::min_element(plain.begin(), plain.end(), by_least)->least();
  for (const form& f : forms) {
    for (std::size_t k = 0; k < copies; ++k)
      r.rows.push_back(
          {fmt::format("{}, place {}", f.name, k + 1),
           {{"an iteration", "ns", f.ns[k]},
            {"least to the fastest plain loop", "", samples({f.ns[k].least() / fastest_plain})}},
           {},
           f.name});
    if (&f == &forms.front()) continue;
    const double slowest = std::max_element(f.ns.begin(), f.ns.end(), by_least)->least();
    target t{"the slowest " + f.name + " to the fastest plain loop",
             "",
             bound::at_most,
             most_to_plain,
             std::nullopt,
             {}};
    t.measured = slowest / fastest_plain;
    r.targets.push_back(t);
  }
  return r;
}

}  // namespace

benchmark placement_benchmark() {
  return {"placement", "a loop of four instructions, in the places where the linker puts it",
          &options, &run};
}

}  // namespace heist::bench
