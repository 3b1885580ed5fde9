// How to distribute a loop's iterations over the workers: before the loop, from the cost of earlier
// loops, or while it runs; for equal costs, for costs that differ, and for costs that move.
//
// Source: CS149, lecture 5, its sections on static, semi-static and dynamic assignment.
#include <deque>
#include <memory>

#include <fmt/format.h>

#include <heist/presets.hpp>

#include "bench/documents/body_clock.hpp"
#include "bench/rounds.hpp"
#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"
#include "workloads/mesh/mesh.hpp"
#include "workloads/particles/particles.hpp"

namespace heist::bench {

namespace {

using workloads::construct;
using workloads::integer_option;
using workloads::loop_plan;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("width", "of the picture, in pixels", quick ? 48 : 384, 6, 1 << 14),
          integer_option("loops", "over the picture, and of equal iterations", quick ? 2 : 4, 1,
                         1'000'000),
          integer_option("equal", "iterations of equal cost", quick ? 64 : 1024, 1, 1 << 28),
          integer_option("particles", "in the square", quick ? 500 : 20'000, 0, 1 << 28),
          integer_option("steps", "of the particles", quick ? 2 : 16, 1, 1'000'000),
          integer_option("mesh", "patches of a row of the adaptive mesh", quick ? 4 : 16, 1, 4096),
          integer_option("mesh-steps", "of the adaptive mesh", quick ? 4 : 60, 1, 1'000'000)};
}

// The programs: each consists of loops, and is made anew by reset().

// The rows of the Mandelbrot set from its upper edge to the real axis: the whole picture is
// symmetric, so its halves would cost the same.
class picture_rows {
 public:
  picture_rows(std::size_t width, std::size_t loops)
      : loops_(loops), width_(width), pixels_(width * (width / 3 * 2)) {}

  void reset() { std::fill(pixels_.begin(), pixels_.end(), 0U); }
  [[nodiscard]] std::uint64_t checksum() const {
    return workloads::ordered_hash(std::span<const std::uint32_t>(pixels_));
  }
  template <class Fork>
  void run(const Fork& fork) {
    const workloads::picture to = whole();
    for (std::size_t loop = 0; loop < loops_; ++loop)
      fork.loop(to.height / 2, 1, [&to](std::size_t row) { draw_row(to, row); });
  }
  // Every eighth pixel of a row stands for it.
  [[nodiscard]] std::vector<double> predict(std::size_t rows) {
    std::vector<double> costs(rows);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t x = 0; x < width_; x += 8) costs[row] += escape_time_at(whole(), x, row);
    return costs;
  }

 private:
  [[nodiscard]] workloads::picture whole() { return {width_, width_ / 3 * 2, 1000, pixels_}; }

  std::size_t loops_, width_;
  std::vector<std::uint32_t> pixels_;
};

class equal_iterations {
 public:
  equal_iterations(std::size_t n, std::size_t loops) : loops_(loops), found_(n) {}

  void reset() { std::fill(found_.begin(), found_.end(), 0U); }
  [[nodiscard]] std::uint64_t checksum() const {
    return workloads::ordered_hash(std::span<const std::uint32_t>(found_));
  }
  template <class Fork>
  void run(const Fork& fork) {
    // Points in the set's middle: each takes all steps.
    for (std::size_t loop = 0; loop < loops_; ++loop)
      fork.loop(found_.size(), 1, [this](std::size_t i) {
        const double re = -0.1 * static_cast<double>(i) / static_cast<double>(found_.size());
        found_[i] += workloads::escape_time(re, 0, 8000);
      });
  }
  [[nodiscard]] static std::vector<double> predict(std::size_t n) {
    return std::vector<double>(n, 1.0);
  }

 private:
  std::size_t loops_;
  std::vector<std::uint32_t> found_;
};

// Particles that fly in a swarm from cell to cell, so that the expensive iterations of one step lie
// beside those of the step before.
class swarm {
 public:
  swarm(std::size_t particles, std::size_t steps)
      : steps_(steps), start_(workloads::make_swarm(particles, side, 60, 1)), grid_(side, start_) {}

  void reset() { grid_.set(start_); }
  [[nodiscard]] std::uint64_t checksum() const {
    std::vector<double> numbers;
    for (const auto& each : grid_.particles())
      numbers.insert(numbers.end(), {each.x, each.y, each.vx, each.vy});
    return workloads::hash_of_bits(numbers);
  }
  template <class Fork>
  void run(const Fork& fork) {
    move_particles(grid_, steps_, fork);
  }
  // Each particle of a cell meets each other one.
  [[nodiscard]] std::vector<double> predict(std::size_t cells) const {
    std::vector<double> costs(cells);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const auto count = static_cast<double>(grid_.particles_in(cell));
      costs[cell] = 1 + count * (count + 1) / 2;
    }
    return costs;
  }

 private:
  static constexpr std::size_t side = 32;

  std::size_t steps_;
  std::vector<workloads::particle> start_;
  workloads::particle_grid grid_;
};

// Heat on an adaptive mesh: the cost of a patch follows from how fine it is.
class mesh {
 public:
  mesh(std::size_t side, std::size_t steps) : steps_(steps), mesh_(side) {}

  void reset() { mesh_.reset(); }
  [[nodiscard]] std::uint64_t checksum() const {
    std::vector<double> all;
    for (std::size_t i = 0; i < mesh_.patches(); ++i)
      all.insert(all.end(), mesh_.cells_of(i).begin(), mesh_.cells_of(i).end());
    return workloads::hash_of_bits(all);
  }
  template <class Fork>
  void run(const Fork& fork) {
    run_steps(mesh_, steps_, fork);
  }
  [[nodiscard]] std::vector<double> predict(std::size_t patches) const {
    std::vector<double> costs(patches);
    for (std::size_t i = 0; i < patches; ++i) costs[i] = mesh_.cost_of(i);
    return costs;
  }

 private:
  std::size_t steps_;
  workloads::adaptive_mesh mesh_;
};

// A task for each `grain` iterations, all spawned by one function.
struct spawned {
  template <class Body>
  void loop(std::size_t n, std::size_t grain, const Body& body) const {
    heist::scope([&](task_scope& s) {
      for (std::size_t first = 0; first < n; first += grain)
        s.spawn([&body, first, last = std::min(n, first + grain)] {
          for (std::size_t i = first; i < last; ++i) body(i);
        });
    });
  }
};

// The workers' times in the bodies of loops, summed over the loops: their mean, and those of the
// worker that had the most in each.
struct loop_times {
  double mean_s = 0, greatest_s = 0;
};

// Another way, with its bodies measured.
template <class Fork>
class clocked {
 public:
  clocked(Fork inner, body_clock& clock, loop_times& sums)
      : inner_(inner), clock_(&clock), sums_(&sums) {}

  template <class Body>
  void loop(std::size_t n, std::size_t grain, const Body& body) const {
    clock_->start();
    inner_.loop(n, grain, [&](std::size_t i) { clock_->around([&] { body(i); }); });
    sums_->mean_s += clock_->mean_s();
    sums_->greatest_s += clock_->greatest_s();
  }

 private:
  Fork inner_;
  body_clock* clock_;
  loop_times* sums_;
};

enum class method {
  static_blocks,
  weighted,
  interleaved,
  semi_static,
  counter,
  on_demand,
  scope,
  queue
};
constexpr std::pair<method, std::string_view> methods[] = {
    {method::static_blocks, "static blocks"},
    {method::weighted, "static, weighted"},
    {method::interleaved, "interleaved"},
    {method::semi_static, "semi-static"},
    {method::counter, "counter"},
    {method::on_demand, "stealing, parallel_for"},
    {method::scope, "stealing, scope"},
    {method::queue, "shared queue, scope"}};

// Blocks of equal cost, as the program predicts it before each loop.
template <class Program>
struct predicted {
  Program* program;

  template <class Body>
  void loop(std::size_t n, std::size_t /*grain*/, const Body& body) const {
    const std::vector<double> costs = program->predict(n);
    heist::parallel_for(std::size_t{0}, n, body, weighted_blocks{costs});
  }
};

// Calls run(fork) with that method's way of forking.
template <class Program, class Run>
void run_with(method how, Program& program, const Run& run) {
  const auto plan = [&](loop_plan of) {
    workloads::run_with_loops({.with = construct::plan, .plan = of}, run);
  };
  switch (how) {
    case method::static_blocks:
      return plan(loop_plan::static_blocks);
    case method::weighted:
      return run(predicted<Program>{&program});
    case method::interleaved:
      return plan(loop_plan::interleaved);
    case method::semi_static:
      return plan(loop_plan::semi_static);
    case method::counter:
      return plan(loop_plan::counter);
    case method::on_demand:
      return run(workloads::forked{});
    case method::scope:
    case method::queue:
      return run(spawned{});
  }
}

// The pools of one number of workers.
struct pools {
  explicit pools(unsigned p) : workers(p), stealing({.workers = p}), queue(queued(p)) {}

  [[nodiscard]] pool& of(method how) { return how == method::queue ? queue : stealing; }

  static pool_config queued(unsigned p) {
    auto config = presets::shared_queue();
    config.workers = p;
    return config;
  }

  unsigned workers;
  whole_pool stealing, queue;
};

// A row, while it is measured.
struct side {
  contestant* times;
  samples balance{};  // none for one worker
};

template <class Program>
class comparison {
 public:
  comparison(contest& turns, std::string name, Program program)
      : turns_(turns), name_(std::move(name)), program_(std::move(program)) {
    program_.run(workloads::serially{});
    expected_ = program_.checksum();
    add("serial",
        [this](side&) { return checked("serial", [&] { program_.run(workloads::serially{}); }); });
  }

  void add(pools& on, method how, std::string_view what) {
    const auto who = fmt::format("{}, P = {}", what, on.workers);
    add(who, [this, &on, how, who](side& to) {
      const double seconds = checked(who, [&] {
        on.of(how).run([&] { run_with(how, program_, [&](auto fork) { program_.run(fork); }); });
      });
      if (on.workers > 1) to.balance.add(100 * balance(on, how, who));
      return seconds;
    });
  }

  void append_rows(std::vector<row>& rows) const {
    for (const auto& [times, balance] : sides_) {
      row& added = rows.emplace_back(
          row{times->name,
              {{"time", "ms", scaled(times->results, 1e3)},
               {"to serial", "", ratio(times->results, sides_.front().times->results)}},
              {},
              name_});
      if (!balance.empty()) added.measures.push_back({"balance", "%", balance});
    }
  }

 private:
  template <class Turn>
  void add(const std::string& who, Turn turn) {
    side& added = sides_.emplace_back();
    added.times = &turns_.add(who, [=, &added] { return turn(added); });
  }

  template <class Run>
  double checked(const std::string& who, const Run& run) {
    program_.reset();
    const double seconds = seconds_of(run);
    check_result(fmt::format("{}, {}", name_, who), expected_, program_.checksum());
    return seconds;
  }

  // In a run of its own: to measure short iterations makes them longer.
  double balance(pools& on, method how, const std::string& who) {
    body_clock clock(on.workers);
    loop_times sums;
    checked(who, [&] {
      on.of(how).run([&] {
        run_with(how, program_,
                 [&](auto fork) { program_.run(clocked<decltype(fork)>(fork, clock, sums)); });
      });
    });
    return sums.mean_s / sums.greatest_s;
  }

  contest& turns_;
  std::string name_;
  Program program_;
  std::uint64_t expected_ = 0;
  std::deque<side> sides_;
};

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = workers_of(with);
  std::deque<pools> on;
  on.emplace_back(1U);
  if (workers > 1) on.emplace_back(workers);
  contest turns;
  const auto loops = values.size("loops");
  comparison equal(turns, "equal costs", equal_iterations(values.size("equal"), loops));
  comparison rows(turns, "mandelbrot", picture_rows(values.size("width"), loops));
  comparison moving(turns, "particles", swarm(values.size("particles"), values.size("steps")));
  comparison refined(turns, "adaptive mesh", mesh(values.size("mesh"), values.size("mesh-steps")));
  for (auto& each : on)
    for (const auto& [how, what] : methods) {
      refined.add(each, how, what);
      equal.add(each, how, what);
      rows.add(each, how, what);
      moving.add(each, how, what);
    }
  turns.play(with);

  results result;
  result.title = fmt::format(
      "{} loops of {} equal iterations and over {} rows of a picture, {} steps of {} particles; 1 "
      "and {} workers; {} rounds",
      loops, values.size("equal"), values.size("width") / 3, values.size("steps"),
      values.size("particles"), workers, with.repeat);
  result.title += fmt::format("; {} steps of an adaptive mesh", values.size("mesh-steps"));
  equal.append_rows(result.rows);
  rows.append_rows(result.rows);
  moving.append_rows(result.rows);
  refined.append_rows(result.rows);
  result.source =
      "CS149, lecture 5 (Stanford): section 1.2, static, semi-static and dynamic "
      "assignment; it has no figures";
  result.notes = {
      "Balance is the mean of the workers' times in iterations to the greatest of them, both "
      "summed "
      "over the loops, in a run of its own; the other figures are of runs without clocks",
      "Workers whose part is done take a part that no other has begun, so a worker that the system "
      "delays need not delay a loop. With static blocks there are as many parts as workers, and "
      "one "
      "has most of the picture's cost",
      "static, weighted: blocks of equal cost, as the program predicts it before each loop: from "
      "every "
      "eighth pixel of a row, from the particles of a cell, from how fine a patch is; the "
      "prediction "
      "is part of the time",
      "semi-static measures the first loop and every eighth one, and cuts the others accordingly; "
      "particles are also sorted into cells after each step, serially, which no method shortens"};
  return result;
}

}  // namespace

benchmark distribution_benchmark() {
  return {"distribution", "loops under static, semi-static and dynamic assignment", &options, &run};
}

}  // namespace heist::bench
