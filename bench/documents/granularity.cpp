// How finely to cut a loop: one loop of uneven iterations, cut into more and more blocks of as many
// iterations each, which are spawned in a scope, handed out by a counter, or put into one queue.
//
// Source: CS149, lecture 5, its figure of performance, balance and overhead against the number of
// tasks for each processor.
#include <cmath>
#include <deque>

#include <fmt/format.h>

#include <heist/error.hpp>
#include <heist/parallel_for.hpp>
#include <heist/presets.hpp>
#include <heist/scope.hpp>

#include "bench/documents/body_clock.hpp"
#include "bench/rounds.hpp"
#include "workloads/hashing.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("width", "of the picture, in pixels", quick ? 96 : 768, 6, 1 << 14),
          integer_option("iterations", "at most, for a pixel", quick ? 50 : 1000, 1, 1'000'000),
          integer_option("most", "tasks for each worker, at most", quick ? 8 : 8192, 1, 1 << 20)};
}

// The Mandelbrot set from its upper edge, where a pixel costs a few steps, to the real axis, where
// it may cost all of them. An iteration is a pixel.
class uneven_loop {
 public:
  uneven_loop(std::size_t width, std::uint32_t most)
      : width_(width), most_(most), pixels_(width * (width / 3)) {}

  [[nodiscard]] std::size_t size() const { return pixels_.size(); }
  void reset() { std::fill(pixels_.begin(), pixels_.end(), 0U); }
  [[nodiscard]] std::uint64_t checksum() const {
    return workloads::ordered_hash(std::span<const std::uint32_t>(pixels_));
  }

  // Out of line, so that every way runs the same machine code.
  [[gnu::noinline]] void run(std::size_t first, std::size_t last) {
    const double scale = 3.0 / static_cast<double>(width_);
    for (std::size_t i = first; i < last; ++i) {
      const double re = -2.25 + static_cast<double>(i % width_) * scale;
      const double im = -1 + static_cast<double>(i / width_) * scale;
      pixels_[i] = workloads::escape_time(re, im, most_);
    }
  }

 private:
  std::size_t width_;
  std::uint32_t most_;
  std::vector<std::uint32_t> pixels_;
};

// A way of handing out the blocks: runs block(i) for each i of [0, blocks).
struct way {
  std::string name;
  pool* on;
  std::function<void(std::size_t blocks, const std::function<void(std::size_t)>& block)> run;
};

void spawn_each(std::size_t blocks, const std::function<void(std::size_t)>& block) {
  heist::scope([&](task_scope& s) {
    for (std::size_t i = 0; i < blocks; ++i) s.spawn([&block, i] { block(i); });
  });
}

void count_through(std::size_t blocks, const std::function<void(std::size_t)>& block) {
  heist::parallel_for(std::size_t{0}, blocks, block, dynamic{});
}

// One way and one number of tasks.
struct cell {
  const way* how;
  std::size_t tasks_for_each;
  contestant* times = nullptr;
  samples balance{};
  samples overhead{};
};

class measurement {
 public:
  measurement(uneven_loop& loop, unsigned workers)
      : loop_(loop), workers_(workers), clock_(workers) {
    loop_.run(0, loop_.size());
    expected_ = loop_.checksum();
  }

  double serial_s() {
    return checked("serial", [&] { loop_.run(0, loop_.size()); });
  }
  double on_demand_s(pool& on) {
    return checked("on demand", [&] {
      on.run([&] {
        heist::parallel_for(std::size_t{0}, loop_.size(),
                            [&](std::size_t i) { loop_.run(i, i + 1); });
      });
    });
  }
  double cut_s(cell& what) {
    const std::size_t blocks = what.tasks_for_each * workers_;
    const auto bound = [&](std::size_t i) { return i * loop_.size() / blocks; };
    const auto block = [&](std::size_t i) {
      clock_.around([&] { loop_.run(bound(i), bound(i + 1)); });
    };
    const double seconds = checked(what.how->name, [&] {
      clock_.start();
      what.how->on->run([&] { what.how->run(blocks, block); });
    });
    what.balance.add(100 * clock_.mean_s() / clock_.greatest_s());
    what.overhead.add(100 * (1 - clock_.greatest_s() / seconds));
    return seconds;
  }

 private:
  template <class Run>
  double checked(const std::string& name, const Run& run) {
    loop_.reset();
    const double seconds = seconds_of(run);
    check_result(name, expected_, loop_.checksum());
    return seconds;
  }

  uneven_loop& loop_;
  unsigned workers_;
  body_clock clock_;
  std::uint64_t expected_ = 0;
};

// The lecture's curves in percent, for 1, 2, 4 .. 128 tasks a processor.
struct printed_curve {
  std::string_view name;
  std::vector<double> percent;
};
const printed_curve& printed(std::size_t which) {
  static const printed_curve all[] = {{"performance", {30, 55, 75, 90, 95, 93, 85, 70}},
                                      {"balance", {20, 35, 50, 65, 80, 90, 95, 98}},
                                      {"overhead", {5, 10, 15, 20, 30, 45, 65, 85}}};
  return all[which];
}

class table {
 public:
  table(std::deque<cell>& cells, const contestant& serial, unsigned workers)
      : cells_(cells), serial_(serial), workers_(workers) {}

  [[nodiscard]] samples performance(const contestant& who) const {
    return scaled(ratio(serial_.results, who.results), 100.0 / workers_);
  }

  [[nodiscard]] row row_of(const cell& each) const {
    const samples figures[] = {performance(*each.times), each.balance, each.overhead};
    row result{fmt::format("{}x", each.tasks_for_each),
               {{"time", "ms", scaled(each.times->results, 1e3)}},
               {},
               each.how->name};
    for (std::size_t i = 0; i < std::size(figures); ++i) {
      const auto& [name, percent] = printed(i);
      result.measures.push_back({std::string(name), "%", figures[i]});
      const auto place = static_cast<std::size_t>(std::log2(each.tasks_for_each));
      if (each.how == cells_.front().how && place < percent.size())
        result.measures.push_back(
            {fmt::format("document's {}", name), "%", samples({percent[place]})});
    }
    return result;
  }

  // A curve for each way, and the lecture's.
  [[nodiscard]] report::chart chart_of(std::size_t which, std::string label) const {
    const auto& [name, percent] = printed(which);
    report::chart result{fmt::format("{}, {} workers", name, workers_),
                         {.label = "tasks for each worker", .scale = report::axis_scale::log2},
                         {.label = std::move(label), .least = 0, .greatest = 100},
                         {}};
    for (const auto& each : cells_) {
      if (result.all.empty() || result.all.back().name != each.how->name)
        result.all.push_back({each.how->name});
      const report::distribution figure(which == 0   ? performance(*each.times)
                                        : which == 1 ? each.balance
                                                     : each.overhead);
      result.all.back().points.push_back(
          {static_cast<double>(each.tasks_for_each), figure.median, figure.least, figure.greatest});
    }
    report::series document{"the lecture's sketch", report::series_style::bound};
    for (std::size_t i = 0; i < percent.size(); ++i)
      document.points.push_back({std::exp2(i), percent[i]});
    result.all.push_back(std::move(document));
    return result;
  }

 private:
  std::deque<cell>& cells_;
  const contestant& serial_;
  unsigned workers_;
};

void explain(results& result, std::size_t block_at_most) {
  result.source =
      "CS149, lecture 5 (Stanford): section 1.2, the figure of performance, balance and overhead "
      "against the number of tasks for each processor";
  result.notes = {
      "Performance is the speed-up as a share of the number of workers; balance is the mean of the "
      "workers' times in blocks to the greatest of them; overhead is the share of the elapsed time "
      "that the busiest worker spent outside of blocks",
      "The lecture's curves are a sketch without units, drawn for no particular machine. What they "
      "have in common with these is the shape: with few tasks the worker that got the expensive "
      "part runs last, with very many the cost of handing them out shows",
      fmt::format("How far to the right the cost of handing out shows depends on the cost of a "
                  "block: the finest ones here have {} iterations",
                  block_at_most),
      "A block's time includes what the system took from its worker, so another program on the "
      "machine appears as a lack of balance, and as less performance"};
}

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = workers_of(with);
  uneven_loop loop(values.size("width"), static_cast<std::uint32_t>(values.integer("iterations")));
  const std::size_t most = values.size("most");
  if (most * workers > loop.size())
    throw usage_error(
        fmt::format("granularity --most {}: with {} workers that is more than the {} pixels", most,
                    workers, loop.size()));
  whole_pool stealing({.workers = workers});
  auto queued = presets::shared_queue();
  queued.workers = workers;
  whole_pool queue(queued);
  const way ways[] = {{"spawned in a scope", &stealing, &spawn_each},
                      {"shared counter", &stealing, &count_through},
                      {"shared queue", &queue, &spawn_each}};
  measurement measured(loop, workers);
  contest turns;
  const auto& serial = turns.add("serial", [&] { return measured.serial_s(); });
  const auto& on_demand =
      turns.add("cut on demand", [&] { return measured.on_demand_s(stealing); });
  std::deque<cell> cells;
  for (const auto& how : ways)
    for (std::size_t k = 1; k <= most; k *= 2) {
      auto& added = cells.emplace_back(cell{&how, k});
      added.times =
          &turns.add(fmt::format("{}, {}x", how.name, k), [&] { return measured.cut_s(added); });
    }
  turns.play(with);

  results result;
  result.title =
      fmt::format("a loop of {} uneven iterations in equal blocks; {} worker{}; {} rounds",
                  loop.size(), workers, workers == 1 ? "" : "s", with.repeat);
  const table all(cells, serial, workers);
  result.rows = {{"serial", {{"time", "ms", scaled(serial.results, 1e3)}}, {}},
                 {"parallel_for, cut on demand",
                  {{"time", "ms", scaled(on_demand.results, 1e3)},
                   {"performance", "%", all.performance(on_demand)}},
                  {}}};
  for (const auto& each : cells) result.rows.push_back(all.row_of(each));
  result.charts = {all.chart_of(0, "speed-up to the number of workers, %"),
                   all.chart_of(1, "mean to greatest time in blocks, %"),
                   all.chart_of(2, "time outside of blocks, %")};
  explain(result, (loop.size() + most * workers - 1) / (most * workers));
  return result;
}

}  // namespace

benchmark granularity_benchmark() {
  return {"granularity", "an uneven loop, cut into 1, 2, 4 .. tasks for each worker", &options,
          &run};
}

}  // namespace heist::bench
