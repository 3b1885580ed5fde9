// Measures pipelines: a source, a parallel stage and a last one in order, with items of several
// lengths. Small items tell what an item costs, and whether more workers make it dearer; long ones
// whether all workers take part. The processor time is measured, too.
#include <memory>

#include <fmt/format.h>

#include "bench/pipeline/lines.hpp"
#include "bench/processor_time.hpp"
#include "bench/rounds.hpp"
#include "heist/pipeline.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr std::size_t line_length = 60;
// How often a line is transformed: some 50 ns each.
constexpr unsigned most_passes = 1000;
// Of the processor time that small items take on all workers, to that on one.
constexpr double most_to_one = 1.3;
// Of the time that long items take on P workers, to plain code: this and 1/P.
constexpr double most_above_ideal = 0.1;

struct side {
  std::string name;
  std::function<void(lines&)> pass;
  samples ns_an_item{};
  samples processor_ns{};
};

std::function<void(lines&)> ours(unsigned workers) {
  const auto on = std::make_shared<whole_pool>(pool_config{.workers = workers});
  return [on](lines& l) {
    make_pipeline([&l] { return l.cut(); },
                  in_parallel([&l](std::string line) { return l.change(std::move(line)); }),
                  in_order([&l](const std::string& line) { l.put(line); }))
        .run(*on);
  };
}

void pass_serially(lines& l) {
  while (auto line = l.cut()) l.put(l.change(std::move(*line)));
}

class match {
 public:
  // About as much work with any number of passes.
  match(unsigned passes, std::size_t work, unsigned workers)
      : passes_(passes), workers_(workers), items_(work / passes + 1), lines_{{}, passes} {
    for (std::size_t i = 0; i < items_; ++i) {
      for (std::size_t k = 0; k < line_length - 1; ++k)
        lines_.text += static_cast<char>('a' + (i * 7 + k * 13) % 26);
      lines_.text += '\n';
    }
    lines expected = lines_;
    pass_serially(expected);
    expected_ = std::move(expected.out);
    lines_.out.reserve(lines_.text.size());
    sides_.push_back({"serial", &pass_serially});
    sides_.push_back({"heist, P = 1", ours(1)});
    if (workers == 1) return;
    sides_.push_back({fmt::format("heist, P = {}", workers), ours(workers)});
    if (auto rival = onetbb_lines(workers))
      sides_.push_back({fmt::format("oneTBB, P = {}", workers), std::move(rival)});
  }

  void round() {
    for (side& s : sides_) {
      lines_.at = 0;
      lines_.out.clear();
      const double used = processor_time::now().seconds;
      const double seconds = seconds_of([&] { s.pass(lines_); });
      const double n = static_cast<double>(items_);
      s.processor_ns.add((processor_time::now().seconds - used) / n * 1e9);
      s.ns_an_item.add(seconds / n * 1e9);
      check_result(s.name, 0, static_cast<std::uint64_t>(lines_.out.compare(expected_) != 0));
    }
  }

  void report(results& r) const {
    const std::string group = fmt::format("lines that are transformed {} times", passes_);
    for (const side& s : sides_)
      r.rows.push_back({s.name,
                        {{"an item", "ns", s.ns_an_item},
                         {"to serial", "", report::ratio(s.ns_an_item, sides_[0].ns_an_item)},
                         {"processor time", "ns", s.processor_ns}},
                        {},
                        group});
    if (workers_ == 1) return;
    if (passes_ == 1)
      add_target(r, "processor time to that on one worker", most_to_one,
                 report::ratio(sides_[2].processor_ns, sides_[1].processor_ns));
    if (passes_ == most_passes)
      add_target(r, "time to serial", 1.0 / workers_ + most_above_ideal,
                 report::ratio(sides_[2].ns_an_item, sides_[0].ns_an_item));
  }

 private:
  void add_target(results& r, const char* what, double most, const samples& found) const {
    target t{fmt::format("{} passes, P = {}, {}", passes_, workers_, what),
             "",
             bound::at_most,
             most,
             std::nullopt,
             {}};
    t.measured = found.median();
    r.targets.push_back(t);
  }

  unsigned passes_;
  unsigned workers_;
  std::size_t items_;
  lines lines_;
  std::string expected_;
  std::vector<side> sides_;
};

std::vector<workloads::option_spec> options(scale of) {
  return {integer_option("work", "how often lines are transformed in all, for each length of item",
                         of == scale::quick ? 2000 : 500'000, 1, 100'000'000)};
}

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = workers_of(with);
  std::vector<match> all;
  for (unsigned passes = 1; passes <= most_passes; passes *= 10)
    all.emplace_back(passes, values.size("work"), workers);
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    for (match& m : all) m.round();
  }
  results r;
  r.title = fmt::format("pipelines of lines, P = {}; {} rounds", workers, with.repeat);
  for (const match& m : all) m.report(r);
  return r;
}

}  // namespace

benchmark pipeline_benchmark() {
  return {"pipeline", "small and long items through a pipeline, beside oneTBB", &options, &run};
}

}  // namespace heist::bench
