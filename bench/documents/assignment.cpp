// The same tasks under three assignments, drawn: which worker ran which task, and when.
#include <deque>

#include <fmt/format.h>

#include <heist/parallel_for.hpp>
#include <heist/partitioner.hpp>

#include "bench/rounds.hpp"
#include "workloads/hashing.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("tasks", "rows of the picture's upper half", quick ? 10 : 100, 2, 10'000)};
}

// The last loop, by task.
class timeline {
 public:
  explicit timeline(std::size_t tasks) : of_(tasks) {}

  void start() { from_ = clock::now(); }
  // On a worker; each task writes its own place.
  template <class Body>
  void around(std::size_t at, const Body& body) {
    of_[at] = {this_worker::index(), clock::now(), {}};
    body();
    of_[at].end = clock::now();
  }

  // A point for each task, where it began.
  [[nodiscard]] report::chart draw(std::string title, unsigned workers) const {
    report::chart shown{
        std::move(title), {.label = "ms", .least = 0}, {.label = "task", .least = 0}, {}};
    for (unsigned w = 0; w < workers; ++w) {
      auto& line = shown.all.emplace_back(
          report::series{fmt::format("worker {}", w), report::series_style::points});
      for (std::size_t i = 0; i < of_.size(); ++i)
        if (of_[i].by == static_cast<int>(w))
          line.points.push_back({ms(of_[i].begin), static_cast<double>(i)});
    }
    return shown;
  }
  // How long that worker was in tasks, and when it left its last one.
  [[nodiscard]] std::pair<double, double> busy_and_left_ms(unsigned worker) const {
    double busy = 0, left = 0;
    for (const auto& each : of_) {
      if (each.by != static_cast<int>(worker)) continue;
      busy += ms(each.end) - ms(each.begin);
      left = std::max(left, ms(each.end));
    }
    return {busy, left};
  }

 private:
  struct task {
    int by = -1;
    clock::time_point begin, end;
  };
  [[nodiscard]] double ms(clock::time_point at) const {
    return std::chrono::duration<double>(at - from_).count() * 1e3;
  }

  clock::time_point from_;
  std::vector<task> of_;
};

// One way to assign the tasks.
struct way {
  std::string name;
  timeline seen;
  std::vector<samples> busy = {}, left = {};  // by worker
};

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = workers_of(with);
  const std::size_t tasks = values.size("tasks");
  const std::size_t width = 3 * tasks;
  std::vector<std::uint32_t> pixels(width * 2 * tasks);
  const workloads::picture to{width, 2 * tasks, 1000, pixels};
  for (std::size_t row = 0; row < tasks; ++row) draw_row(to, row);
  const auto expected = workloads::ordered_hash(std::span<const std::uint32_t>(pixels));

  whole_pool on({.workers = workers, .callers = caller_kind::wait});
  contest turns;
  std::deque<way> all;  // whose addresses the turns keep
  const auto add = [&](const std::string& name, auto how) {
    way& added = all.emplace_back(way{name, timeline(tasks)});
    added.busy.resize(workers);
    added.left.resize(workers);
    turns.add(name, [&, how, name]() mutable {
      std::fill(pixels.begin(), pixels.end(), 0U);
      const double seconds = seconds_of([&] {
        added.seen.start();
        on.run([&] {
          parallel_for(
              std::size_t{0}, tasks,
              [&](std::size_t row) { added.seen.around(row, [&] { draw_row(to, row); }); }, how);
        });
      });
      check_result(name, expected, workloads::ordered_hash(std::span<const std::uint32_t>(pixels)));
      for (unsigned w = 0; w < workers; ++w) {
        const auto [busy, left] = added.seen.busy_and_left_ms(w);
        added.busy[w].add(busy);
        added.left[w].add(left);
      }
      return seconds;
    });
  };
  add("static blocks", static_blocks{});
  add("interleaved", interleaved{});
  add("dynamic, on demand", on_demand{});
  turns.play(with);

  results result;
  result.title = fmt::format("{} tasks whose costs rise with their number; P = {}; {} rounds",
                             tasks, workers, with.repeat);
  for (const auto& each : all) {
    for (unsigned w = 0; w < workers; ++w)
      result.rows.push_back(
          {fmt::format("worker {}", w),
           {{"in tasks", "ms", each.busy[w]}, {"left the last", "ms", each.left[w]}},
           {},
           each.name});
    result.charts.push_back(each.seen.draw(each.name, workers));
  }
  result.source = "CS149, lecture 5 (Stanford): section 1.2, the assignments of a set of tasks";
  result.notes = {
      "A task is a row of the Mandelbrot set from its upper edge to the real axis; a point of a "
      "picture is where a task began in the last round",
      "A worker whose part is done takes a part that no other has begun, in static assignments "
      "too"};
  return result;
}

}  // namespace

benchmark assignment_benchmark() {
  return {"assignment", "the same tasks under three assignments, drawn", &options, &run};
}

}  // namespace heist::bench
