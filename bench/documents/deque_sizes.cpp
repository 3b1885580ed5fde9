// How the sizes of deques change in a step of time: an observer samples them while a program runs,
// and what it sees stands beside an article's figures.
#include <deque>

#include <fmt/format.h>

#include <heist/deque_series.hpp>
#include <heist/presets.hpp>

#include "bench/deque/placed.hpp"
#include "bench/rounds.hpp"
#include "report/published_sizes.hpp"
#include "workloads/side.hpp"

namespace heist::bench {

namespace {

using report::series_style;
using workloads::integer_option;

constexpr double steps[] = {100, 400, 1600};  // ticks
constexpr std::array<const char*, 5> changes = {"-2", "-1", "0", "+1", "+2"};
constexpr std::size_t no_change = 2;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("n", "rows and columns of the matrices", quick ? 32 : 256, 1, 4096),
          integer_option("base", "longest side of a block that is not divided", 4, 1, 4096),
          integer_option("items", "for the knapsack", quick ? 12 : 26, 1, 64),
          integer_option("cutoff", "items at the end that are not forked", 6, 0, 64),
          integer_option("samples", "that the observer has memory for", quick ? 10'000 : 4'000'000,
                         2, 100'000'000)};
}

// One program under one scheduler, seen in runs of it.
class observed_program {
 public:
  observed_program(contest& turns, std::string_view program,
                   const std::vector<std::string>& settings, const presets::preset& preset,
                   unsigned workers, std::size_t max_samples)
      : name_(fmt::format("{}, {}, P = {}", program, preset.name, workers)),
        workers_(workers),
        program_(workloads::make_side_program(program, settings)) {
    program_->run_serial();
    auto config = preset.config;
    config.workers = workers;
    for (const double step : steps)
      for (unsigned d = 0; d < workers; ++d) found_.push_back({step, d});
    turns.add(name_, [this, config, max_samples, how = workloads::execution_of(preset)] {
      return observe(config, how, max_samples);
    });
  }

  [[nodiscard]] unsigned workers() const { return workers_; }

  void append_rows(std::vector<row>& rows) const {
    for (const auto& each : found_) {
      row added{fmt::format("step of {:g} ticks, deque {}", each.step, each.deque), {}, {}, name_};
      for (std::size_t i = 0; i < changes.size(); ++i)
        added.measures.push_back({changes[i], "", each.probability[i]});
      added.measures.push_back({"mean size", "", each.mean_size});
      added.measures.push_back({"observed", "% of the run", each.observed});
      rows.push_back(std::move(added));
    }
  }

  // The probability of no change against the length of a step, of the first deque.
  [[nodiscard]] report::series unchanged() const {
    report::series line{name_};
    for (const auto& each : found_) {
      if (each.deque != 0) continue;
      const report::distribution d(each.probability[no_change]);
      line.points.push_back({each.step, d.median, d.least, d.greatest});
    }
    return line;
  }

 private:
  // All deques at each step.
  struct finding {
    double step;
    unsigned deque;
    std::array<samples, 5> probability = {};
    samples mean_size = {}, observed = {};
  };

  double observe(pool_config config, workloads::execution how, std::size_t max_samples) {
    // Worker i on processor i, and the observer on the next one, where there are so many: it has
    // the affinity of the thread that makes it.
    const bool is_apart = program_processors().size() > workers_;
    if (is_apart) config.placement = placement_kind::pinned;
    whole_pool on(config);
    how.on = &on;
    program_->reset();
    const auto make = [&] { return std::make_unique<deque_observer>(on, max_samples); };
    const auto observer = is_apart ? run_placed(workers_, make) : make();
    const double seconds = seconds_of([&] { on.run([&] { program_->run_with(how); }); });
    const deque_series seen = observer->stop();
    if (const auto wrong = program_->mistake()) throw wrong_result(name_ + ": " + *wrong);
    const double ticks = seconds * seen.ticks_per_second;
    auto next = found_.begin();
    for (const double step : steps)
      for (const size_changes& of : changes_of(seen, step)) {
        finding& to = *next++;
        for (std::size_t i = 0; i < changes.size(); ++i) to.probability[i].add(of.probability[i]);
        to.mean_size.add(of.mean_size);
        to.observed.add(100 * static_cast<double>(of.steps) * step / ticks);
      }
    return seconds;
  }

  const std::string name_;
  const unsigned workers_;
  const std::unique_ptr<workloads::instance> program_;
  std::vector<finding> found_;
};

// The article's row, and its point in the chart.
void append_published(const report::published_sizes& of, results& to, report::chart& shown) {
  row added{fmt::format("step of 100 cycles, deque {}", of.deque),
            {},
            {},
            fmt::format("{}, the article", of.workload)};
  for (std::size_t i = 0; i < changes.size(); ++i)
    added.measures.push_back({changes[i], "", samples({of.probability[i]})});
  to.rows.push_back(std::move(added));
  shown.all.push_back({fmt::format("{}, the article's deque {}", of.workload, of.deque),
                       series_style::points,
                       {{steps[0], of.probability[no_change]}}});
}

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = with.workers != 0 ? with.workers : 2;  // as in the article
  const auto setting = [&](const char* name) {
    return fmt::format("{}={}", name, values.integer(name));
  };
  const std::vector<unsigned> sizes = workers == 1 ? std::vector{1u} : std::vector{1u, workers};
  contest turns;
  std::deque<observed_program> all;  // whose addresses the turns keep
  for (const auto* preset : {"multi_steal", "heist"}) {
    const auto add = [&](std::string_view program, const std::vector<std::string>& settings) {
      for (const unsigned n : sizes)
        all.emplace_back(turns, program, settings, *presets::find(preset), n,
                         values.size("samples"));
    };
    add("matmul", {setting("n"), setting("base")});
    add("knapsack", {setting("items"), setting("cutoff")});
  }
  turns.play(with);

  results result;
  result.title = fmt::format("changes of the deques' sizes in a step; P = {}; {} rounds", workers,
                             with.repeat);
  report::chart shown{"Steps in which a deque's size didn't change; P = 1",
                      {"step, ticks", report::axis_scale::log2},
                      {.label = "probability"},
                      {}};
  for (const auto& each : all) {
    each.append_rows(result.rows);
    if (each.workers() == 1) shown.all.push_back(each.unchanged());
  }
  for (const auto& each : report::all_published_sizes) append_published(each, result, shown);
  result.charts = {std::move(shown)};
  result.source = "A work-stealing scheduler with multi-task steals, section 4.1";
  result.notes = {
      "The article's grain is not in its text. What a task does decides the rate of pushes, and "
      "with "
      "it every probability: blocks of 4 rows and 6 items give rates near its own, those of heist "
      "run, which are coarser, leave 0.999 of the steps without a change",
      "A deque is a worker's. What is pushed and popped between two samples isn't seen, so the "
      "probabilities of changes are at most too small",
      "observed: the share of the run in which samples were taken; the rest are pauses of the "
      "observer, where the system ran another thread in its place, and what came after its memory "
      "was full",
      "The observer has a processor of its own where there are more than P, and each worker, too. "
      "Where there are not, one worker pauses while others run, and its deque doesn't change: then "
      "the rows of P = 1 tell more",
      "A tick is one of the processor's time-stamp counter (x86-64)"};
  return result;
}

}  // namespace

benchmark deque_sizes_benchmark() {
  return {"deque_sizes", "how the sizes of deques change in a step of time", &options, &run};
}

}  // namespace heist::bench
