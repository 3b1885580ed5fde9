// Measures programs that call one loop after another, as simulations and solvers do: what a loop
// costs depends on how soon the other workers take part, and on whether each meets the elements
// that it had before. The processor time that they take meanwhile is measured, too.
//
// The rivals are oneTBB, OpenMP, whose threads spin between loops, and threads that do nothing but
// wait for the next loop, each of which always has the same part of it.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "bench/api/kernels.hpp"
#include "bench/api/team.hpp"
#include "bench/processor_time.hpp"
#include "bench/rounds.hpp"
#include "heist/chunks.hpp"
#include "platform/cpu.hpp"

namespace heist::bench {

namespace {

using api::part;
using api::part_of_sum;
using api::team;
using workloads::integer_option;

constexpr const char* inside_name = "heist, inside";
constexpr double most_to_best = 1.05;   // of serial code and all rivals
constexpr double most_to_serial = 0.6;  // of loops of so many elements, which take 5 to 150 us
constexpr std::size_t least_shared = 10'000;
constexpr std::size_t most_shared = 100'000;

// ---- the teams

class serial_team final : public team {
 public:
  void loop(std::size_t n, const part& body) override { body(0, n); }
  double sum(std::size_t n, const part_of_sum& body) override { return body(0, n); }
};

class our_team : public team {
 public:
  explicit our_team(pool& on) : on_(on) {}

  void within(const std::function<void()>& program) override { on_.run(program); }
  void loop(std::size_t n, const part& body) override {
    parallel_for_chunks(std::size_t{0}, n, body);
  }
  double sum(std::size_t n, const part_of_sum& body) override {
    return reduce_chunks(
        std::size_t{0}, n, 0.0,
        [&body](std::size_t first, std::size_t last, double before) {
          return before + body(first, last);
        },
        std::plus{});
  }

 protected:
  pool& on_;
};

// Its loops are called by a thread outside the pool.
class our_team_from_outside final : public our_team {
 public:
  using our_team::our_team;

  void within(const std::function<void()>& program) override { program(); }
  void loop(std::size_t n, const part& body) override {
    on_.run([&] { our_team::loop(n, body); });
  }
  double sum(std::size_t n, const part_of_sum& body) override {
    return on_.run([&] { return our_team::sum(n, body); });
  }
};

// Threads that look for the next loop without a pause while a program runs, and sleep otherwise.
class broadcast_team final : public team {
 public:
  explicit broadcast_team(unsigned threads) : sums_(threads) {
    for (unsigned i = 1; i < threads; ++i) helpers_.emplace_back([this, i] { help(i); });
  }
  broadcast_team(const broadcast_team&) = delete;
  broadcast_team& operator=(const broadcast_team&) = delete;
  ~broadcast_team() override {
    ends_ = true;
    runs_ = true;
    runs_.notify_all();
    for (auto& h : helpers_) h.join();
  }

  void within(const std::function<void()>& program) override {
    runs_ = true;
    runs_.notify_all();
    program();
    runs_ = false;
  }
  void loop(std::size_t n, const part& body) override {
    sum(n, [&body](std::size_t first, std::size_t last) {
      body(first, last);
      return 0.0;
    });
  }
  double sum(std::size_t n, const part_of_sum& body) override {
    n_ = n;
    body_ = &body;
    left_.store(helpers_.size(), std::memory_order_relaxed);
    number_.fetch_add(1, std::memory_order_release);
    run_part(0);
    while (left_.load(std::memory_order_acquire) != 0) platform::pause();
    double all = 0;
    for (const padded& s : sums_) all += s.value;
    return all;
  }

 private:
  struct alignas(64) padded {
    double value = 0;
  };

  void run_part(std::size_t i) {
    sums_[i].value = (*body_)(n_ * i / sums_.size(), n_ * (i + 1) / sums_.size());
  }
  void help(std::size_t i) {
    for (unsigned seen = 0;;) {
      runs_.wait(false);
      if (ends_) return;
      const unsigned now = number_.load(std::memory_order_acquire);
      if (now == seen) {
        platform::pause();
        continue;
      }
      seen = now;
      run_part(i);
      left_.fetch_sub(1, std::memory_order_release);
    }
  }

  std::size_t n_ = 0;
  const part_of_sum* body_ = nullptr;
  std::vector<padded> sums_;
  alignas(64) std::atomic<unsigned> number_{0};  // of the loops so far
  alignas(64) std::atomic<std::size_t> left_{0};
  alignas(64) std::atomic<bool> runs_{false};
  std::atomic<bool> ends_{false};
  std::vector<std::thread> helpers_;
};

// ---- the programs

// A program is called again and again; each call goes on where the last one ended.
class program {
 public:
  program(const char* name, std::size_t size, std::size_t loops)
      : name_(fmt::format("{} of {}", name, size)), size_(size), loops_(loops) {}
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  virtual ~program() = default;

  virtual void begin() = 0;
  virtual void call(team& by) = 0;
  [[nodiscard]] virtual double result() const = 0;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t loops() const { return loops_; }  // of a call

 private:
  std::string name_;
  std::size_t size_;
  std::size_t loops_;
};

using numbers = std::vector<double>;

class axpy final : public program {
 public:
  explicit axpy(std::size_t n) : program("axpy", n, 1), x_(n), y_(n) {}

  void begin() override {
    std::fill(x_.begin(), x_.end(), 1.0);
    std::fill(y_.begin(), y_.end(), 2.0);
  }
  void call(team& by) override {
    by.loop(x_.size(), [x = x_.data(), y = y_.data()](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) y[i] += 0.5 * x[i];
    });
  }
  [[nodiscard]] double result() const override {
    return *std::min_element(y_.begin(), y_.end()) + *std::max_element(y_.begin(), y_.end());
  }

 private:
  numbers x_, y_;
};

// A step forth and one back.
class stencil final : public program {
 public:
  explicit stencil(std::size_t n) : program("stencil", n, 2), now_(n + 2), next_(n + 2) {}

  void begin() override {
    for (std::size_t i = 0; i < now_.size(); ++i) now_[i] = static_cast<double>(i % 17);
    next_ = now_;
  }
  void call(team& by) override {
    step(by, now_, next_);
    step(by, next_, now_);
  }
  [[nodiscard]] double result() const override { return now_[now_.size() / 2]; }

 private:
  static void step(team& by, const numbers& in, numbers& out) {
    by.loop(in.size() - 2, [in = in.data(), out = out.data()](std::size_t f, std::size_t l) {
      for (std::size_t i = f; i < l; ++i) out[1 + i] = (in[i] + in[1 + i] + in[2 + i]) * (1.0 / 3);
    });
  }

  numbers now_, next_;
};

// Conjugate gradients for a chain of springs, begun anew after some steps.
class gradients final : public program {
 public:
  explicit gradients(std::size_t n)
      : program("CG", n, 1 + 3 * steps), x_(n), r_(n), p_(n + 2), q_(n) {}

  void begin() override {}
  void call(team& by) override {
    const std::size_t n = x_.size();
    by.loop(n, [this](std::size_t f, std::size_t l) {
      for (std::size_t i = f; i < l; ++i) {
        x_[i] = 0;
        r_[i] = p_[1 + i] = 1;
      }
    });
    rest_ = static_cast<double>(n);
    for (std::size_t step = 0; step < steps; ++step) {
      const double along = by.sum(n, [this](std::size_t f, std::size_t l) { return apply(f, l); });
      const double a = rest_ / along;
      const double rest = by.sum(n, [this, a](std::size_t f, std::size_t l) {
        double sum = 0;
        for (std::size_t i = f; i < l; ++i) {
          x_[i] += a * p_[1 + i];
          r_[i] -= a * q_[i];
          sum += r_[i] * r_[i];
        }
        return sum;
      });
      const double b = rest / rest_;
      rest_ = rest;
      by.loop(n, [this, b](std::size_t f, std::size_t l) {
        for (std::size_t i = f; i < l; ++i) p_[1 + i] = r_[i] + b * p_[1 + i];
      });
    }
  }
  // Sums of other parts are rounded otherwise.
  [[nodiscard]] double result() const override { return std::round(x_[x_.size() / 3] * 1e4); }

 private:
  static constexpr std::size_t steps = 20;

  double apply(std::size_t f, std::size_t l) {
    double sum = 0;
    for (std::size_t i = f; i < l; ++i) {
      q_[i] = 2.5 * p_[1 + i] - p_[i] - p_[2 + i];
      sum += q_[i] * p_[1 + i];
    }
    return sum;
  }

  numbers x_, r_, p_, q_;  // the first and last of p_ stay 0
  double rest_ = 0;
};

// ---- the turns

struct named_team {
  std::string name;
  std::unique_ptr<team> of;
};
// What one team did with one program.
struct side {
  std::string name;
  team* by;
  samples us_a_loop{}, processors{};
};

class match {
 public:
  match(std::unique_ptr<program> what, const std::vector<named_team>& teams, double turn_s)
      : what_(std::move(what)), turn_s_(turn_s) {
    for (const named_team& t : teams) sides_.push_back({t.name, t.of.get()});
    what_->begin();
    what_->call(*sides_.front().by);
    expected_ = what_->result();
  }

  void round() {
    for (side& s : sides_) {
      what_->begin();
      s.by->within([&] {
        what_->call(*s.by);
        check_result(what_->name() + ", " + s.name, 1,
                     static_cast<std::uint64_t>(what_->result() == expected_));
        measure(s);
      });
      std::this_thread::sleep_for(pause);
    }
  }

  void report(results& r) const {
    const side& serial = sides_.front();
    const side& inside = *std::find_if(sides_.begin(), sides_.end(),
                                       [](const side& s) { return s.name == inside_name; });
    for (const side& s : sides_)
      r.rows.push_back({s.name,
                        {{"a loop", "us", s.us_a_loop},
                         {"to serial", "", ratio_of(s, serial)},
                         {"processors", "", s.processors}},
                        {},
                        what_->name()});
    const side* best = &serial;
    for (const side& s : sides_)
      if (!s.name.starts_with("heist") && s.us_a_loop.median() < best->us_a_loop.median())
        best = &s;
    add_target(r, "to the best of the others", most_to_best, ratio_of(inside, *best), best->name);
    if (what_->size() >= least_shared && what_->size() <= most_shared)
      add_target(r, "to serial", most_to_serial, ratio_of(inside, serial), "");
  }

 private:
  // The threads of the last side go to sleep meanwhile.
  static constexpr auto pause = std::max(std::chrono::milliseconds(20), api::openmp_spins);

  static samples ratio_of(const side& s, const side& to) {
    return report::ratio(s.us_a_loop, to.us_a_loop);
  }
  void add_target(results& r, const char* to, double most, const samples& found,
                  std::string note) const {
    target t{fmt::format("{}, inside, {}", what_->name(), to),
             "",
             bound::at_most,
             most,
             std::nullopt,
             std::move(note)};
    t.measured = found.median();
    r.targets.push_back(t);
  }

  // Makes longer and longer series of calls, and measures the last.
  void measure(side& s) const {
    for (std::size_t calls = 1;; calls *= 2) {
      const double used = processor_time::now().seconds;
      const double seconds = seconds_of([&] {
        for (std::size_t i = 0; i < calls; ++i) what_->call(*s.by);
      });
      if (seconds < turn_s_ / 2) continue;
      s.us_a_loop.add(seconds / static_cast<double>(calls * what_->loops()) * 1e6);
      s.processors.add((processor_time::now().seconds - used) / seconds);
      return;
    }
  }

  std::unique_ptr<program> what_;
  double turn_s_;
  double expected_ = 0;
  std::vector<side> sides_;
};

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("turn-ms", "how long a program is measured in each round", quick ? 1 : 40,
                         1, 10'000),
          integer_option("digits", "loops of at most 10^digits", quick ? 4 : 7, 3, 8)};
}

std::vector<std::unique_ptr<program>> programs(double most) {
  std::vector<std::unique_ptr<program>> all;
  for (const double n : {1e3, 3162.0, 1e4, 31'623.0, 1e5, 316'228.0, 1e6, 1e7, 1e8})
    if (n <= most) all.push_back(std::make_unique<axpy>(static_cast<std::size_t>(n)));
  for (const double n : {1e4, 1e5})
    if (n <= most) {
      all.push_back(std::make_unique<stencil>(static_cast<std::size_t>(n)));
      all.push_back(std::make_unique<gradients>(static_cast<std::size_t>(n)));
    }
  return all;
}

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = workers_of(with);
  whole_pool ours(pool_config{.workers = workers});
  std::vector<named_team> teams;
  teams.push_back({"serial", std::make_unique<serial_team>()});
  teams.push_back({inside_name, std::make_unique<our_team>(ours)});
  teams.push_back({"heist, from outside", std::make_unique<our_team_from_outside>(ours)});
  teams.push_back({"waiting threads", std::make_unique<broadcast_team>(workers)});
  if (auto t = api::onetbb_team(workers)) teams.push_back({"oneTBB", std::move(t)});
  if (auto t = api::openmp_team(workers)) teams.push_back({"OpenMP", std::move(t)});
  std::vector<match> all;
  const double most = std::pow(10.0, static_cast<double>(values.integer("digits")));
  const double turn_s = static_cast<double>(values.integer("turn-ms")) * 1e-3;
  for (auto& p : programs(most)) all.emplace_back(std::move(p), teams, turn_s);
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    for (match& m : all) m.round();
  }
  results r;
  r.title = fmt::format("one loop after another, P = {}; {} rounds", workers, with.repeat);
  for (const match& m : all) m.report(r);
  return r;
}

}  // namespace

benchmark flat_loops_benchmark() {
  return {"flat_loops", "one loop after another, beside OpenMP, oneTBB and waiting threads",
          &options, &run};
}

}  // namespace heist::bench
