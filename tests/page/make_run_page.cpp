// Writes the page of a made-up run of which everything is known, for the browser's test:
//
//   heist_make_run_page EVENTS PAGE
//
// Four workers: worker 0 parses alone for 40 % of the time, then all render, with steals, and with
// naps at the end. The run has EVENTS events. What the page must show is printed as JSON. One
// region's name is markup.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "report/run_page.hpp"
#include "trace/sort_stably.hpp"

namespace {

using heist::trace::event;
using heist::trace::event_kind;

constexpr std::uint32_t workers = 4;
enum names : std::uint32_t { no_name, parse, render, markup, items };

class made_up_run {
 public:
  explicit made_up_run(std::size_t events) : left_(events) {
    run_.program = "made-up <i>run</i>";
    run_.machine = "a machine that isn't there";
    run_.version = "0";
    run_.processors = workers;
    run_.clock = "none";
    run_.names = {"", "parse", "render", "<script>document.title='harmed'</script>", "items"};
    for (std::uint32_t w = 0; w < workers; ++w)
      run_.lanes.push_back({"worker " + std::to_string(w), 0, w, true, 0});
    run_.statistics = {{{"pool", "default"},
                        {"stacks_peak", 9},
                        {"total", {{"steals", 0}, {"parks", 3}}},
                        {"workers", nlohmann::json::array()}}};
    if (events >= 100) begin();
    rest();
    heist::trace::sort_stably(run_.events,
                              [](const event& x, const event& y) { return x.time_ns < y.time_ns; });
    if (left_ >= workers)
      for (std::uint32_t w = 0; w < workers; ++w) add(end_, w, event_kind::leave);
    // Every run has the number of events that was asked for: what is left over counts something.
    while (left_ > 0) add(end_, 0, event_kind::counter, items, 0, 0, 7);
    run_.duration_ns = end_;
    if (events >= 100) run_.profile = profile();
  }

  [[nodiscard]] const heist::trace::recording& recording() const { return run_; }
  [[nodiscard]] nlohmann::json expected() const {
    return {{"events", run_.events.size()},
            {"duration", end_},
            {"serial_idle", serial_idle_},
            {"steals", steals_},
            {"workers", workers},
            {"parallelism", 3.25},
            {"report", heist::trace::to_json(run_, heist::trace::summarise(run_))}};
  }

 private:
  void add(std::uint64_t time, std::uint32_t lane, event_kind kind, std::uint32_t name = 0,
           std::uint32_t a = 0, std::uint32_t b = 0, double value = 0) {
    run_.events.push_back({time, lane, kind, name, a, b, value});
    --left_;
  }

  // Worker 0 runs alone, the others sleep. The phase is 40 % of about how long the run will take.
  void begin() {
    const std::uint64_t parsed = left_ * 1500 / workers;
    add(0, 0, event_kind::job_begin, no_name, 1);
    add(0, 0, event_kind::region_begin, parse);
    add(parsed, 0, event_kind::region_end, parse);
    add(parsed, 0, event_kind::job_end);
    working_ += parsed;
    for (std::uint32_t w = 1; w < workers; ++w) {
      add(0, w, event_kind::idle_begin);
      add(3000, w, event_kind::park);
      add(parsed, w, event_kind::wake, no_name, 0, 0, 5000);
      add(parsed, w, event_kind::idle_end, no_name, 2);
      serial_idle_ += parsed;
    }
    std::fill(std::begin(now_), std::end(now_), parsed);
  }

  // Jobs one after another on each worker, each of them stolen from the next one.
  void rest() {
    std::mt19937_64 random(1);
    constexpr std::size_t events_of_a_job = 5;
    while (left_ >= events_of_a_job + workers) {
      const auto w = static_cast<std::uint32_t>(std::min_element(std::begin(now_), std::end(now_)) -
                                                std::begin(now_));
      auto& now = now_[w];
      const std::uint64_t search = 100 + random() % 900, length = 2000 + random() % 16'000;
      const auto depth = static_cast<std::uint32_t>(1 + random() % 12);
      now += search;
      add(now, w, event_kind::steal, no_name, (w + 1 + random() % (workers - 1)) % workers, depth,
          static_cast<double>(search));
      add(now, w, event_kind::job_begin, render);
      const bool is_markup = random() % 5 == 0;
      if (is_markup) add(now, w, event_kind::region_begin, markup);
      now += length;
      if (is_markup) add(now, w, event_kind::region_end, markup);
      add(now, w, event_kind::job_end);
      if (random() % 7 == 0)
        add(now, w, event_kind::counter, items, 0, 0, static_cast<double>(now) / 1e4);
      working_ += length;
      ++steals_;
    }
    end_ = *std::max_element(std::begin(now_), std::end(now_));
  }

  // A profile that fits the figures: its work is what was worked.
  [[nodiscard]] nlohmann::json profile() const {
    const double work = static_cast<double>(working_) / 1e9, span = work / 3.25;
    auto predictions = nlohmann::json::array();
    for (int p = 1; p <= 256; p *= 2)
      predictions.push_back({{"processors", p},
                             {"least", 1 / (1.0 / p + 1.7 * (1 - 1.0 / p) / 3)},
                             {"most", std::min<double>(p, 3.25)}});
    const auto region = [&](const char* name, double share, double on_path) {
      return nlohmann::json{{"name", name},
                            {"entries", 1},
                            {"work", share * work},
                            {"span", on_path * span},
                            {"own_work", 0},
                            {"burdened_span", on_path * span},
                            {"on_path", on_path * span}};
    };
    return {{"work", work},
            {"span", span},
            {"parallelism", 3.25},
            {"burdened_span", work / 3},
            {"burdened_parallelism", 3},
            {"regions",
             {region("", 0.1, 0.09), region("parse", 0.2, 0.61), region("render", 0.7, 0.3)}},
            {"predictions", predictions},
            {"not_covered", nlohmann::json::array()}};
  }

  heist::trace::recording run_;
  std::size_t left_;
  std::uint64_t now_[workers]{};
  std::uint64_t end_ = 0, working_ = 0, serial_idle_ = 0, steals_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("heist_make_run_page EVENTS PAGE\n", stderr);
    return 2;
  }
  const made_up_run made(std::strtoull(arguments[1], nullptr, 10));
  std::ofstream out(arguments[2], std::ios::binary);
  heist::report::write_run_page(out, made.recording(), heist::trace::summarise(made.recording()));
  out.close();
  std::puts(made.expected().dump().c_str());
  return out ? 0 : 1;
}
