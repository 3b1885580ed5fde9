// The scheduler of Arora, Blumofe and Plaxton among other programs: its time against the bound that
// they prove, and what its deques without locks and its yields are worth.
//
// The bound is c1 T1/PA + c2 Tinf P/PA, where PA is the number of processors that the P workers get
// (section 4). The program has phases of a few leaves each, so that Tinf is not negligible: its
// work T1 and its span Tinf follow from the time of a leaf. c1 and c2 are fitted.
#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include <heist/fork_join.hpp>
#include <heist/presets.hpp>

#include "bench/multiprogrammed/competitor.hpp"
#include "bench/rounds.hpp"
#include "report/statistics.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr unsigned sizes[] = {1, 2, 4, 8, 16, 32};
constexpr unsigned most_competitors = 3;
// A side that takes longer than this for a run has one run only.
constexpr double slow_s = 1;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {
      integer_option("phases", "one after another", quick ? 3 : 40, 1, 100'000),
      integer_option("leaves", "of a phase, which may run at the same time", 8, 1, 4096),
      integer_option("leaf", "steps of a leaf, some nanoseconds each", quick ? 2000 : 200'000, 1,
                     1'000'000'000),
      integer_option("competitors", "processes that spin, at most", quick ? 1 : most_competitors, 0,
                     64),
      integer_option("spin-ms", "how long PA is measured each time", quick ? 20 : 150, 1, 60'000)};
}

struct problem {
  std::size_t phases, leaves, leaf;
};

// A chain of steps that no compiler shortens.
std::uint64_t run_leaf(std::uint64_t x, std::size_t steps) {
  for (; steps > 0; --steps) {
    x ^= x << 13;  // Marsaglia's xorshift
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

std::uint64_t run_leaves(std::uint64_t first, std::size_t n, std::size_t steps) {
  if (n == 1) return run_leaf(first + 1, steps);
  const std::size_t half = n / 2;
  const auto [a, b] = fork_join([=] { return run_leaves(first, half, steps); },
                                [=] { return run_leaves(first + half, n - half, steps); });
  return a + b;
}

std::uint64_t run_phases(const problem& of) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < of.phases; ++i) sum += run_leaves(i, of.leaves, of.leaf);
  return sum;
}

std::uint64_t run_serially(const problem& of) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < of.phases; ++i)
    for (std::size_t k = 0; k < of.leaves; ++k) sum += run_leaf(i + k + 1, of.leaf);
  return sum;
}

pool_config with_a_mutex() {
  auto c = presets::abp();
  c.deque = deque_kind::locked;
  return c;
}

// One number of workers beside one number of competitors.
struct cell {
  unsigned workers, competitors;
  samples seconds{};
  samples processors{};  // PA, at each of these times
};

struct side {
  std::string name;
  pool_config config;
  std::vector<cell> cells{};
};

class experiment {
 public:
  experiment(const workloads::option_values& values, const settings& with)
      : of_{values.size("phases"), values.size("leaves"), values.size("leaf")},
        spin_s_(static_cast<double>(values.integer("spin-ms")) * 1e-3),
        with_(with),
        sides_{{"abp", presets::abp()},
               {"abp, yield to all", presets::abp(yield_kind::to_all)},
               {"abp without yield", presets::abp(yield_kind::none)},
               {"abp with a mutex", with_a_mutex()},
               {"abp with a spinning lock", presets::abp_locked()},
               {"heist", presets::heist()}} {
    for (std::size_t n = 0; n <= values.size("competitors"); ++n)
      competitors_.push_back(std::make_unique<competitor>(static_cast<unsigned>(n)));
    if (with.workers != 0)
      sizes_ = {with.workers};
    else
      sizes_.assign(std::begin(sizes), std::end(sizes));
    for (auto& each : sides_)
      for (unsigned n = 0; n < competitors_.size(); ++n)
        for (const unsigned workers : sizes_) each.cells.push_back({workers, n});
  }

  results run() {
    expected_ = run_serially(of_);
    for (unsigned round = 1; round <= with_.repeat; ++round) {
      work_s_.add(time_checked("serial", expected_, [&] { return run_serially(of_); }));
      for (std::size_t i = 0; i < sides_.front().cells.size(); ++i) play(i, round);
    }
    results found;
    found.title = fmt::format(
        "{} phases of {} leaves; P = 1 to {} workers beside 0 to {} "
        "processes that spin; {} rounds",
        of_.phases, of_.leaves, sizes_.back(), competitors_.size() - 1, with_.repeat);
    found.source = "Arora, Blumofe and Plaxton 1998, theorem 9 and section 5";
    found.rows.push_back({"serial", {{"T1", "s", work_s_}, {"Tinf", "s", span()}}, {}});
    for (const auto& each : sides_) append(each, found);
    found.charts = {by_workers(std::min<unsigned>(1, most())), by_competitors()};
    found.notes = {
        "PA: processors that as many spinning threads get beside the same competitors, measured "
        "before each turn",
        "bound: (T1 + Tinf P)/PA, the paper's with both constants 1",
        "c1 and c2 are fitted to all runs of a side by least squares of relative errors",
        "a mutex's waiters sleep until its holder has run; those of a spinning lock, the paper's, "
        "use "
        "up their turns. A worker loses its processor inside the lock only if the turn of the "
        "system "
        "(some ms) ends in the some ten ns in which it holds it: seldom where leaves are long",
        "a side whose run takes longer than a second has one run"};
    return found;
  }

 private:
  [[nodiscard]] unsigned most() const { return static_cast<unsigned>(competitors_.size()) - 1; }
  [[nodiscard]] samples span() const {
    return scaled(work_s_, 1 / static_cast<double>(of_.leaves));
  }

  // A round of one cell of each side.
  void play(std::size_t i, unsigned round) {
    const cell& first = sides_.front().cells[i];
    const auto& beside = *competitors_[first.competitors];
    for (auto& each : sides_) {
      cell& mine = each.cells[i];
      if (!mine.seconds.empty() && mine.seconds.median() > slow_s) continue;
      with_.announce(fmt::format("round {} of {}, {}, P = {}, {} competing", round, with_.repeat,
                                 each.name, mine.workers, mine.competitors));
      beside.resume();
      mine.processors.add(processors_for_spinners(mine.workers, spin_s_));
      {
        auto config = each.config;
        config.workers = mine.workers;
        whole_pool on(config);  // for this turn only: its idle workers may never sleep
        mine.seconds.add(time_checked(each.name, expected_,
                                      [&] { return on.run([&] { return run_phases(of_); }); }));
      }
      beside.pause();
    }
  }

  // T1/PA and Tinf P/PA, in units of the time that was taken.
  [[nodiscard]] std::array<double, 2> terms(const cell& of) const {
    const double t1 = work_s_.median();
    const double unit = of.processors.median() * of.seconds.median();
    return {t1 / unit, t1 / static_cast<double>(of_.leaves) * of.workers / unit};
  }

  void append(const side& of, results& found) const {
    std::vector<std::vector<double>> columns(2);
    for (const auto& each : of.cells) {
      const auto [work, span] = terms(each);
      columns[0].push_back(work);
      columns[1].push_back(span);
      found.rows.push_back({fmt::format("P = {}, {} competing", each.workers, each.competitors),
                            {{"time", "s", each.seconds},
                             {"PA", "", each.processors},
                             {"time to T1/PA", "", samples({1 / work})},
                             {"time to bound", "", samples({1 / (work + span)})}},
                            {},
                            of.name});
    }
    if (of.cells.size() < 3) return;  // two constants
    const auto fit = report::least_squares(columns, std::vector<double>(of.cells.size(), 1.0));
    double worst = 0;
    for (const double off : fit.residuals) worst = std::max(worst, std::abs(off));
    found.rows.push_back({"fitted",
                          {{"c1", "", samples({fit.coefficients[0]})},
                           {"c2", "", samples({fit.coefficients[1]})},
                           {"worst error", "", samples({worst})}},
                          {},
                          of.name});
  }

  [[nodiscard]] report::chart by_workers(unsigned competitors) const {
    report::chart chart{.title = fmt::format("Time to T1/PA, {} competing", competitors),
                        .x = {.label = "workers, P", .scale = report::axis_scale::log2},
                        .y = {.label = "time to T1/PA", .scale = report::axis_scale::log10},
                        .all = {}};
    for (const auto& each : sides_) chart.all.push_back(line(each, each.name, competitors));
    return chart;
  }
  [[nodiscard]] report::chart by_competitors() const {
    report::chart chart{.title = "Time to T1/PA of abp",
                        .x = {.label = "workers, P", .scale = report::axis_scale::log2},
                        .y = {.label = "time to T1/PA"},
                        .all = {}};
    for (unsigned n = 0; n <= most(); ++n)
      chart.all.push_back(line(sides_.front(), fmt::format("{} competing", n), n));
    return chart;
  }
  [[nodiscard]] report::series line(const side& of, const std::string& name,
                                    unsigned competitors) const {
    report::series result{.name = name};
    for (const auto& each : of.cells)
      if (each.competitors == competitors)
        result.points.push_back({static_cast<double>(each.workers), 1 / terms(each)[0]});
    return result;
  }

  problem of_;
  double spin_s_;
  settings with_;
  std::vector<side> sides_;
  std::vector<std::unique_ptr<competitor>> competitors_;  // of 0, 1, 2 ... processes
  std::vector<unsigned> sizes_;
  std::uint64_t expected_ = 0;
  samples work_s_;
};

results run(const workloads::option_values& values, const settings& with) {
  return experiment(values, with).run();
}

}  // namespace

benchmark abp_benchmark() {
  return {"abp", "the ABP scheduler among other programs, against its bound", &options, &run};
}

}  // namespace heist::bench
