// Loops and algorithms against serial code, oneTBB, OpenMP and GNU's parallel mode: the same few in the
// words of each.
#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "bench/api/kernels.hpp"
#include "bench/rounds.hpp"

namespace heist::bench {

namespace {

using api::kernels;
using workloads::integer_option;

// Longer than OpenMP's threads go on spinning after a parallel region (libomp: 200 ms).
constexpr auto openmp_spins = std::chrono::milliseconds(250);

constexpr double one_worker_limit = 1.02;  // axpy on one worker to the serial loop
constexpr double rival_limit = 1.0;        // heist to the best rival

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  constexpr std::int64_t most = 1'000'000'000;
  return {
      integer_option("loop-n", "iterations of axpy", quick ? 20'000 : 100'000'000, 1, most),
      integer_option("uneven-n", "iterations of the uneven loop", quick ? 2000 : 1'000'000, 1,
                     most),
      integer_option("tiny-times", "how often the loop of 100 runs", quick ? 20 : 20'000, 1, most),
      integer_option("array-n", "elements to reduce and to scan", quick ? 20'000 : 50'000'000, 1,
                     most),
      integer_option("sort-n", "integers to sort", quick ? 5000 : 10'000'000, 1, most)};
}

// One thing to do: its data, and how to tell that it was done.
struct problem {
  std::string name;
  std::function<void()> prepare;
  // Empty if that library has no such thing.
  std::function<std::function<void()>(const kernels&)> task;
  std::function<std::uint64_t()> result;
};

template <class T>
std::uint64_t fingerprint(const std::vector<T>& v) {
  std::uint64_t h = 0;
  for (const T& e : v) h = h * 31 + static_cast<std::uint64_t>(e);
  return h;
}

problem axpy_problem(std::size_t n) {
  const auto x = std::make_shared<std::vector<float>>(n, 1.5F);
  const auto y = std::make_shared<std::vector<float>>(n);
  return {fmt::format("axpy of {}", n), [=] { std::fill(y->begin(), y->end(), 2.0F); },
          [=](const kernels& k) -> std::function<void()> {
            if (k.axpy == nullptr) return {};
            return [=] { k.axpy(2.0F, x->data(), y->data(), n); };
          },
          [=] { return fingerprint(*y); }};
}

problem uneven_problem(std::size_t n) {
  const auto out = std::make_shared<std::vector<std::uint64_t>>(n);
  return {fmt::format("uneven loop of {}", n), [=] { std::fill(out->begin(), out->end(), 0U); },
          [=](const kernels& k) -> std::function<void()> {
            if (k.uneven == nullptr) return {};
            return [=] { k.uneven(out->data(), n); };
          },
          [=] { return fingerprint(*out); }};
}

problem tiny_problem(std::size_t times) {
  const auto x = std::make_shared<std::vector<float>>(api::tiny_size, 1.0F);
  const auto y = std::make_shared<std::vector<float>>(api::tiny_size);
  return {fmt::format("{} loops of {}", times, api::tiny_size),
          [=] { std::fill(y->begin(), y->end(), 0.0F); },
          [=](const kernels& k) -> std::function<void()> {
            if (k.tiny == nullptr) return {};
            return [=] { k.tiny(1.0F, x->data(), y->data(), times); };
          },
          [=] { return fingerprint(*y); }};
}

problem reduce_problem(std::size_t n) {
  const auto x = std::make_shared<std::vector<double>>(n, 1.0);  // any order gives the same sum
  const auto sum = std::make_shared<double>(0);
  return {fmt::format("reduce of {}", n), [=] { *sum = 0; },
          [=](const kernels& k) -> std::function<void()> {
            if (k.reduce == nullptr) return {};
            return [=] { *sum = k.reduce(x->data(), n); };
          },
          [=] { return static_cast<std::uint64_t>(*sum); }};
}

problem scan_problem(std::size_t n) {
  const auto x = std::make_shared<std::vector<std::int64_t>>(n);
  for (std::size_t i = 0; i < n; ++i) (*x)[i] = static_cast<std::int64_t>(i % 1000);
  const auto out = std::make_shared<std::vector<std::int64_t>>(n);
  return {fmt::format("inclusive_scan of {}", n), [=] { std::fill(out->begin(), out->end(), 0); },
          [=](const kernels& k) -> std::function<void()> {
            if (k.scan == nullptr) return {};
            return [=] { k.scan(x->data(), out->data(), n); };
          },
          [=] { return fingerprint(*out); }};
}

problem sort_problem(std::size_t n) {
  const auto input = std::make_shared<std::vector<std::int64_t>>(n);
  std::mt19937_64 random(1);
  for (auto& e : *input) e = static_cast<std::int64_t>(random());
  const auto values = std::make_shared<std::vector<std::int64_t>>();
  return {fmt::format("sort of {}", n), [=] { *values = *input; },
          [=](const kernels& k) -> std::function<void()> {
            if (k.sort == nullptr) return {};
            return [=] { k.sort(values->data(), n); };
          },
          [=] { return fingerprint(*values); }};
}

// The contestants of one problem.
class field {
 public:
  field(contest& turns, problem what, const kernels& serial)
      : turns_(turns), what_(std::move(what)) {
    what_.prepare();
    what_.task(serial)();
    expected_ = what_.result();
    serial_ = &add("serial", serial, 1);
  }

  // Nothing if it can't.
  contestant* add_if_able(const kernels& by, unsigned threads) {
    if (!what_.task(by)) return nullptr;
    return &add(fmt::format("{}, {} worker{}", by.name, threads, threads == 1 ? "" : "s"), by,
                threads);
  }

  void append_rows(std::vector<row>& rows) const {
    for (const auto* each : members_)
      rows.push_back({each->name,
                      {{"time", "s", each->results}, {"to serial", "", against_serial(*each)}},
                      {}});
  }

  [[nodiscard]] samples against_serial(const contestant& which) const {
    return ratio(which.results, serial_->results);
  }
  [[nodiscard]] const std::string& name() const { return what_.name; }

 private:
  contestant& add(const std::string& who, const kernels& by, unsigned threads) {
    const auto name = fmt::format("{}: {}", what_.name, who);
    const bool spins = by.name.starts_with("OpenMP") || by.name.starts_with("GNU");
    auto& added = turns_.add(name, [=, this, task = what_.task(by), within = by.within] {
      what_.prepare();
      double seconds = 0;
      within(threads, [&] { seconds = seconds_of(task); });
      check_result(name, expected_, what_.result());
      if (spins) std::this_thread::sleep_for(openmp_spins);
      return seconds;
    });
    members_.push_back(&added);
    return added;
  }

  contest& turns_;
  const problem what_;
  std::uint64_t expected_ = 0;
  contestant* serial_ = nullptr;
  std::vector<contestant*> members_;
};

// heist on all workers to whichever of the rivals was the fastest.
target against_rivals(const field& f, const contestant& ours,
                      const std::vector<contestant*>& rivals) {
  target result{f.name() + ", heist to the best rival", "", bound::at_most, rival_limit, {}, ""};
  const auto best = std::min_element(rivals.begin(), rivals.end(), [](auto* a, auto* b) {
    return a->results.median() < b->results.median();
  });
  if (best == rivals.end()) {
    result.note = "no rival is built in";
  } else {
    result.measured = ratio(ours.results, (*best)->results).median();
    result.note = (*best)->name;
  }
  return result;
}

report run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = workers_of(with);
  whole_pool one({.workers = 1});
  std::optional<whole_pool> many;
  if (workers > 1) many.emplace(pool_config{.workers = workers});
  std::vector<pool*> pools{&one};
  if (many) pools.push_back(&*many);
  const kernels serial = api::serial();
  const kernels ours = api::ours(pools);
  std::vector<kernels> rivals = api::onetbb();
  for (auto&& more : {api::openmp(), api::gnu_parallel()})
    rivals.insert(rivals.end(), more.begin(), more.end());

  report result;
  result.title = fmt::format("loops and algorithms, {} worker{}; {} rounds", workers,
                             workers == 1 ? "" : "s", with.repeat);
  bool first = true;
  // One problem after the other, so that the memory of one is free for the next.
  const auto play = [&](problem what) {
    contest turns;
    field all(turns, std::move(what), serial);
    const contestant* ours_on_one = all.add_if_able(ours, 1);
    std::vector<contestant*> theirs;
    for (const auto& each : rivals)
      if (auto* const c = all.add_if_able(each, 1)) theirs.push_back(c);
    const contestant* ours_on_all = ours_on_one;
    if (workers > 1) {
      theirs.clear();
      ours_on_all = all.add_if_able(ours, workers);
      for (const auto& each : rivals)
        if (auto* const c = all.add_if_able(each, workers)) theirs.push_back(c);
    }
    turns.play(with);
    all.append_rows(result.rows);
    if (std::exchange(first, false))
      result.targets.push_back({all.name() + ", heist, 1 worker to serial", "", bound::at_most,
                                one_worker_limit, all.against_serial(*ours_on_one).median(), ""});
    result.targets.push_back(against_rivals(all, *ours_on_all, theirs));
  };
  play(axpy_problem(values.size("loop-n")));
  play(uneven_problem(values.size("uneven-n")));
  play(tiny_problem(values.size("tiny-times")));
  play(reduce_problem(values.size("array-n")));
  play(scan_problem(values.size("array-n")));
  play(sort_problem(values.size("sort-n")));
  if (api::onetbb().empty()) result.rows.push_back({"oneTBB", {}, "not built in"});
  if (api::openmp().empty()) result.rows.push_back({"OpenMP", {}, "not built in"});
  if (api::gnu_parallel().empty()) result.rows.push_back({"GNU parallel mode", {}, "not built in"});
  return result;
}

}  // namespace

benchmark api_benchmark() {
  return {"api", "loops and algorithms against serial code, oneTBB, OpenMP and GNU's parallel mode",
          &options, &run};
}

}  // namespace heist::bench
