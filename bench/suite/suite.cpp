#include "bench/suite/suite.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "bench/multiprogrammed/competitor.hpp"
#include "bench/rounds.hpp"
#include "bench/suite/side_process.hpp"

namespace heist::bench {

namespace {

constexpr auto pause_between_turns = std::chrono::milliseconds(20);
// How long a side's threads have to fall asleep again, after all were stopped.
constexpr auto settling_time = std::chrono::milliseconds(5);
constexpr double spinning_s = 0.3;  // how long PA is measured before a turn
// A side whose run takes longer than this has one run only.
constexpr double slow_s = 4;
constexpr double longest_run_s = 300;

constexpr double best_rival_limit = 1.02;             // heist's time to that of the best rival
constexpr double onetbb_limit = 4, openmp_limit = 8;  // geometric means over fine-grained programs
// Among other programs: heist's time to T1/PA, and the best rival's to heist's.
constexpr double stretch_limit = 1.3, crowded_rival_limit = 2;
// heist's memory to serial code's, and what each worker may take beside that.
constexpr double memory_limit = 1.5;
constexpr double worker_bytes = 1e6;

struct rival_kind {
  std::string_view file;  // heist-rival-...
  std::string_view title;
  std::optional<double> fine_grained_limit;
  // Another compiler makes other serial code, too: its times count in units of its own.
  bool has_own_compiler = false;
};
constexpr rival_kind rivals[] = {{"onetbb", "oneTBB", onetbb_limit},
                                 {"openmp", "OpenMP", openmp_limit},
                                 {"openmp_clang", "OpenMP of clang", std::nullopt, true}};

// One side with one number of workers.
struct contender {
  std::string name;  // "oneTBB, P = 2"
  std::string side;  // "oneTBB"
  unsigned workers = 0;
  bool is_heist = false;  // the first preset, which the others are compared with
  bool has_own_compiler = false;
  bool is_slow = false;
  bool is_crowded = false;  // it runs beside the competitors
  std::string_view rival = {};
  std::string why_not = {};  // it doesn't take part
  std::unique_ptr<side_process> process = {};
  samples seconds = {};
  samples own_serial = {};  // seconds of serial code by its own compiler; empty: by ours
  samples processors = {};  // PA, before each crowded turn
  double peak_bytes = 0;    // known at the end
};

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& each : parts) text += ' ' + each;
  return text;
}

class program_contest {
 public:
  // The competitors, if there are any, are paused.
  program_contest(const suite_program& program, const suite_settings& with,
                  const competitor* competitors, bool is_curve)
      : program_(program), with_(with), competitors_(competitors), is_curve_(is_curve) {
    add("serial", with_.heist, {"side", std::string(program.name), "1", "serial"}, 0);
    for (const unsigned workers : with_.workers) {
      for (const auto& preset : with_.presets) {
        auto& added = add(preset == "heist" ? preset : "heist: " + preset, with_.heist,
                          {"side", std::string(program.name), text(workers), preset}, workers);
        added.is_heist = preset == with_.presets.front();
      }
      if (is_curve_) continue;
      for (const auto& rival : rivals) add_rival(rival, workers);
    }
  }

  // False: interrupted.
  bool play() {
    // The first round only warms caches, threads and the heap up.
    for (unsigned round = 0; round <= with_.rounds; ++round)
      for (auto& each : all_) {
        if (with_.interrupted()) return false;
        if (each.process == nullptr || (round > 0 && each.is_slow)) continue;
        with_.announce(
            fmt::format("{}, round {} of {}, {}", program_.name, round, with_.rounds, each.name));
        turn(each, round == 0);
      }
    return !with_.interrupted();
  }

  [[nodiscard]] std::vector<row> rows() {
    std::vector<row> result;
    for (auto& each : all_) result.push_back(row_of(each));
    return result;
  }

  // What is promised of this program.
  [[nodiscard]] std::vector<target> targets() const {
    std::vector<target> result;
    for (const auto& each : all_)
      if (each.is_heist && each.peak_bytes > 0)
        result.push_back(
            {fmt::format("{}, P = {}: peak memory", program_.name, each.workers), "MB",
             bound::at_most,
             1e-6 * (memory_limit * all_.front().peak_bytes + each.workers * worker_bytes),
             1e-6 * each.peak_bytes, ""});
    for (const auto& each : all_)
      if (each.is_heist && each.is_crowded && !each.seconds.empty())
        result.push_back({fmt::format("{}, P = {}: time/(T1/PA)", program_.name, each.workers), "",
                          bound::at_most, stretch_limit, stretch(each).median(), ""});
    for (const unsigned workers : with_.workers) {
      if (competitors_ != nullptr && workers == 1) continue;  // it is there for T1 only
      const auto [best, to_ours] = best_rival(workers);
      if (best == nullptr) continue;
      const auto what = fmt::format("{}, P = {}: ", program_.name, workers);
      if (best->is_crowded)
        result.push_back({what + "the best rival to heist", "", bound::at_least,
                          crowded_rival_limit, to_ours, best->name});
      else
        result.push_back({what + "heist to the best rival", "", bound::at_most, best_rival_limit,
                          1 / to_ours, best->name});
    }
    return result;
  }

  // Serial time over heist's, by the number of workers.
  [[nodiscard]] report::series speedups() const {
    report::series result{std::string(program_.name)};
    for (const auto& each : all_) {
      if (!each.is_heist || each.seconds.empty()) continue;
      const samples speedup = ratio(all_.front().seconds, each.seconds);
      result.points.push_back({static_cast<double>(each.workers), speedup.median(), speedup.least(),
                               speedup.greatest()});
    }
    return result;
  }

  // The rival's median time in heist's, with so many workers.
  [[nodiscard]] std::optional<double> advantage(std::string_view rival, unsigned workers) const {
    for (const auto& each : all_)
      if (each.rival == rival && each.workers == workers && !each.seconds.empty())
        return to_heist(each).median();
    return std::nullopt;
  }

 private:
  static std::string text(unsigned workers) { return std::to_string(workers); }
  static std::string named(std::string_view side, unsigned workers) {
    return fmt::format("{}, P = {}", side, workers);
  }
  [[nodiscard]] const std::vector<std::string>& settings() const {
    return with_.is_quick ? program_.quick : program_.settings;
  }

  contender& add(const std::string& side, const std::string& file,
                 std::vector<std::string> arguments, unsigned workers) {
    auto& added = all_.emplace_back();
    added.side = side;
    added.name = workers == 0 ? side : named(side, workers);
    added.workers = workers;
    added.is_crowded = competitors_ != nullptr && workers > 1;
    arguments.insert(arguments.end(), settings().begin(), settings().end());
    added.process = std::make_unique<side_process>(file, arguments, longest_run_s);
    added.process->stop();
    return added;
  }

  void add_rival(const rival_kind& rival, unsigned workers) {
    const auto file = fmt::format("{}/heist-rival-{}", with_.rivals_folder, rival.file);
    if (access(file.c_str(), X_OK) != 0) {
      auto& missing = all_.emplace_back();
      missing.name = named(rival.title, workers);
      missing.why_not = "not built: scripts/build rivals";
      return;
    }
    auto& added =
        add(std::string(rival.title), file, {std::string(program_.name), text(workers)}, workers);
    added.rival = rival.file;
    added.has_own_compiler = rival.has_own_compiler;
  }

  // The other sides' processes are stopped. The round that warms up counts only where it is the
  // only one.
  void turn(contender& each, bool warms_up) {
    each.process->go_on();
    std::this_thread::sleep_for(settling_time);
    double available = 0;
    if (each.is_crowded) {
      competitors_->resume();
      available = processors_for_spinners(each.workers, spinning_s);
    }
    const auto took = each.workers == 0 ? each.process->run_serial() : each.process->run();
    if (each.is_crowded) competitors_->pause();
    if (expected_.empty()) {
      expected_ = took.checksum;
      result_ = each.process->result();
    }
    if (took.checksum != expected_)
      throw wrong_result(fmt::format("{}{}: {}: {}, serial: {}", program_.name, join(settings()),
                                     each.name, each.process->result(), result_));
    each.is_slow = took.seconds > slow_s;
    if (!warms_up || each.is_slow) {
      each.seconds.add(took.seconds);
      each.processors.add(available);
    }
    if (each.has_own_compiler) {
      const double serial = each.process->run_serial().seconds;
      if (!warms_up || each.is_slow) each.own_serial.add(serial);
    }
    std::this_thread::sleep_for(pause_between_turns);
    each.process->stop();
  }

  [[nodiscard]] const contender* heist_with(unsigned workers) const {
    for (const auto& each : all_)
      if (each.is_heist && each.workers == workers) return &each;
    return nullptr;
  }

  // Its times in units of serial code's, by the same compiler.
  [[nodiscard]] samples to_serial(const contender& of) const {
    return ratio(of.seconds, of.has_own_compiler ? of.own_serial : all_.front().seconds);
  }
  [[nodiscard]] samples to_heist(const contender& of) const {
    return ratio(to_serial(of), to_serial(*heist_with(of.workers)));
  }

  // Of a crowded side: its times to T1/PA, where T1 is its own on one worker, alone.
  [[nodiscard]] samples stretch(const contender& of) const {
    for (const auto& each : all_)
      if (each.side == of.side && each.workers == 1)
        return ratio(product(of.seconds, of.processors), each.seconds);
    return {};
  }

  // The rival that is fastest with so many workers, and its median time in heist's.
  [[nodiscard]] std::pair<const contender*, double> best_rival(unsigned workers) const {
    std::pair<const contender*, double> best = {nullptr, 0};
    for (const auto& each : all_) {
      if (each.rival.empty() || each.workers != workers || each.seconds.empty()) continue;
      const double to_ours = to_heist(each).median();
      if (best.first == nullptr || to_ours < best.second) best = {&each, to_ours};
    }
    return best;
  }

  [[nodiscard]] row row_of(contender& of) {
    row result{of.name, {}, of.why_not, fmt::format("{}{}", program_.name, join(settings()))};
    if (of.seconds.empty()) return result;
    of.process->go_on();
    of.peak_bytes = static_cast<double>(of.process->peak_bytes());
    result.measures = {{"time", "s", of.seconds}, {"to serial", "", to_serial(of)}};
    if (of.is_crowded) {
      result.measures.push_back({"PA", "", of.processors});
      result.measures.push_back({"time/(T1/PA)", "", stretch(of)});
    }
    if (is_curve_ && of.workers > 0)
      result.measures.push_back({"speed-up", "", ratio(all_.front().seconds, of.seconds)});
    else if (of.workers > 0)
      result.measures.push_back({"to heist", "", to_heist(of)});
    if (of.rival.empty() && of.workers > 1)
      result.measures.push_back({"steals", "",
                                 samples({static_cast<double>(of.process->steals()) /
                                          static_cast<double>(of.seconds.size())})});
    result.measures.push_back({"peak", "MB", samples({1e-6 * of.peak_bytes})});
    if (of.is_slow) result.note = "slow: one run";
    if (of.has_own_compiler) result.note += "to serial code of its own compiler";
    return result;
  }

  const suite_program& program_;
  const suite_settings& with_;
  const competitor* competitors_;
  bool is_curve_;
  std::vector<contender> all_;  // the first one is serial
  std::string expected_, result_;
};

// Geometric means over the fine-grained programs, of each rival and each number of workers.
class fine_grained {
 public:
  void take(const program_contest& of, const suite_settings& with) {
    for (const auto& rival : rivals)
      for (const unsigned workers : with.workers)
        if (const auto advantage = of.advantage(rival.file, workers)) {
          auto& sum = mean_of(rival, workers);
          sum.logarithms += std::log(*advantage);
          ++sum.count;
        }
  }

  void append_targets(std::vector<target>& targets) const {
    for (const auto& each : means_) {
      if (!each.rival->fine_grained_limit) continue;
      targets.push_back({fmt::format("P = {}: {} to heist, geometric mean of {} fine-grained "
                                     "programs",
                                     each.workers, each.rival->title, each.count),
                         "", bound::at_least, *each.rival->fine_grained_limit,
                         std::exp(each.logarithms / each.count), ""});
    }
  }

 private:
  struct mean {
    const rival_kind* rival;
    unsigned workers;
    double logarithms = 0;
    int count = 0;
  };

  mean& mean_of(const rival_kind& rival, unsigned workers) {
    for (auto& each : means_)
      if (each.rival == &rival && each.workers == workers) return each;
    return means_.emplace_back(mean{&rival, workers});
  }

  std::vector<mean> means_;
};

}  // namespace

results run_suite(const suite& which, const suite_settings& with) {
  results found;
  found.title = fmt::format("{}; {} rounds, sides in turn, each in a process of its own",
                            which.summary, with.rounds);
  found.source = which.source;
  const auto competitors =
      which.competitors > 0 ? std::make_unique<competitor>(which.competitors) : nullptr;
  fine_grained means;
  report::chart curve{"speed-up, serial time over heist's",
                      {.label = "workers", .scale = report::axis_scale::log2},
                      {.label = "speed-up", .scale = report::axis_scale::log2},
                      {}};
  for (const auto& program : which.programs) {
    if (with.is_quick && program.quick.empty()) continue;
    program_contest contest(program, with, competitors.get(), which.is_curve);
    if (!contest.play()) {
      found.notes.push_back("interrupted: the programs that had finished");
      break;
    }
    const auto rows = contest.rows();
    found.rows.insert(found.rows.end(), rows.begin(), rows.end());
    with.finished(rows);
    if (which.is_curve) curve.all.push_back(contest.speedups());
    if (with.is_quick) continue;  // such figures keep no promise, and break none
    const auto targets = contest.targets();
    found.targets.insert(found.targets.end(), targets.begin(), targets.end());
    if (program.is_fine_grained) means.take(contest, with);
  }
  means.append_targets(found.targets);
  if (!curve.all.empty()) found.charts.push_back(std::move(curve));
  return found;
}

const std::vector<std::string_view>& rival_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const auto& each : rivals) all.push_back(each.file);
    return all;
  }();
  return names;
}

}  // namespace heist::bench
