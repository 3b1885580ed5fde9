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

#include "bench/suite/side_process.hpp"

namespace heist::bench {

namespace {

constexpr auto pause_between_turns = std::chrono::milliseconds(20);
// Longer than clang's OpenMP spins after a parallel region (200 ms), so that its threads don't take
// the processor from the next side.
constexpr auto openmp_clang_spins = std::chrono::milliseconds(250);
// A side whose run takes longer than this has one run only.
constexpr double slow_s = 4;
constexpr double longest_run_s = 300;

constexpr double best_rival_limit = 1.02;             // heist's time to that of the best rival
constexpr double onetbb_limit = 4, openmp_limit = 8;  // geometric means over fine-grained programs

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
  unsigned workers = 0;
  bool is_heist = false;  // the first preset, which the others are compared with
  bool has_own_compiler = false;
  bool is_slow = false;
  std::string_view rival = {};
  std::chrono::milliseconds rest = {};  // after a turn
  std::string why_not = {};             // it doesn't take part
  std::unique_ptr<side_process> process = {};
  samples seconds = {};
  samples own_serial = {};  // seconds of serial code by its own compiler; empty: by ours
  std::uint64_t steals_before = 0;
};

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& each : parts) text += ' ' + each;
  return text;
}

class program_contest {
 public:
  program_contest(const suite_program& program, const suite_settings& with)
      : program_(program), with_(with) {
    add("serial", with_.heist, {"side", std::string(program.name), "1", "serial"}, 0);
    for (const unsigned workers : with_.workers) {
      for (const auto& preset : with_.presets) {
        auto& added =
            add(named(preset == "heist" ? preset : "heist: " + preset, workers), with_.heist,
                {"side", std::string(program.name), text(workers), preset}, workers);
        added.is_heist = preset == with_.presets.front();
      }
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

  // For each number of workers: heist's time to that of the best rival.
  [[nodiscard]] std::vector<target> targets() const {
    std::vector<target> result;
    for (const unsigned workers : with_.workers) {
      const contender* best = nullptr;
      double least = 0;
      for (const auto& each : all_) {
        if (each.rival.empty() || each.workers != workers || each.seconds.empty()) continue;
        const double to_ours = to_heist(each).median();
        if (best != nullptr && to_ours >= least) continue;
        best = &each;
        least = to_ours;
      }
      if (best == nullptr) continue;
      result.push_back({fmt::format("{}, P = {}: heist to the best rival", program_.name, workers),
                        "", bound::at_most, best_rival_limit, 1 / least, best->name});
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

  contender& add(std::string name, const std::string& file, std::vector<std::string> arguments,
                 unsigned workers) {
    auto& added = all_.emplace_back();
    added.name = std::move(name);
    added.workers = workers;
    arguments.insert(arguments.end(), settings().begin(), settings().end());
    added.process = std::make_unique<side_process>(file, arguments, longest_run_s);
    return added;
  }

  void add_rival(const rival_kind& rival, unsigned workers) {
    const auto file = fmt::format("{}/heist-rival-{}", with_.rivals_folder, rival.file);
    if (access(file.c_str(), X_OK) != 0) {
      auto& missing = all_.emplace_back();
      missing.name = named(rival.title, workers);
      missing.why_not = "not built";
      return;
    }
    auto& added = add(named(rival.title, workers), file,
                      {std::string(program_.name), text(workers)}, workers);
    added.rival = rival.file;
    added.has_own_compiler = rival.has_own_compiler;
    if (rival.file == "openmp_clang" && workers > 1) added.rest = openmp_clang_spins;
  }

  // The round that warms up counts only where it is the only one.
  void turn(contender& each, bool warms_up) {
    const bool is_serial = each.workers == 0;
    const auto took = is_serial ? each.process->run_serial() : each.process->run();
    if (expected_.empty()) {
      expected_ = took.checksum;
      result_ = each.process->result();
    }
    if (took.checksum != expected_)
      throw wrong_result(fmt::format("{}{}: {}: {}, serial: {}", program_.name, join(settings()),
                                     each.name, each.process->result(), result_));
    each.is_slow = took.seconds > slow_s;
    if (!warms_up || each.is_slow) each.seconds.add(took.seconds);
    if (each.has_own_compiler) {
      const double serial = each.process->run_serial().seconds;
      if (!warms_up || each.is_slow) each.own_serial.add(serial);
    }
    std::this_thread::sleep_for(pause_between_turns + each.rest);
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

  [[nodiscard]] row row_of(contender& of) {
    row result{of.name, {}, of.why_not, fmt::format("{}{}", program_.name, join(settings()))};
    if (of.seconds.empty()) return result;
    result.measures = {{"time", "s", of.seconds}, {"to serial", "", to_serial(of)}};
    if (of.workers > 0) result.measures.push_back({"to heist", "", to_heist(of)});
    if (of.rival.empty() && of.workers > 1)
      result.measures.push_back({"steals", "",
                                 samples({static_cast<double>(of.process->steals()) /
                                          static_cast<double>(of.seconds.size())})});
    result.measures.push_back(
        {"peak", "MB", samples({static_cast<double>(of.process->peak_bytes()) * 1e-6})});
    if (of.is_slow) result.note = "slow: one run";
    if (of.has_own_compiler) result.note += "to serial code of its own compiler";
    return result;
  }

  const suite_program& program_;
  const suite_settings& with_;
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
  fine_grained means;
  for (const auto& program : which.programs) {
    if (with.is_quick && program.quick.empty()) continue;
    program_contest contest(program, with);
    if (!contest.play()) {
      found.notes.push_back("interrupted: the programs that had finished");
      break;
    }
    const auto rows = contest.rows();
    found.rows.insert(found.rows.end(), rows.begin(), rows.end());
    const auto targets = contest.targets();
    found.targets.insert(found.targets.end(), targets.begin(), targets.end());
    if (program.is_fine_grained) means.take(contest, with);
    with.finished(rows);
  }
  means.append_targets(found.targets);
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
