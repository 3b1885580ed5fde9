// Measures loops and reductions over chunks beside those over elements: axpy, and a round of
// k-means whose sums are one accumulator of 48 numbers. A reduction over elements makes such an
// accumulator of each point; one over chunks makes one of each chunk, and adds the points to it.
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <random>

#include <fmt/format.h>

#include "bench/rounds.hpp"
#include "heist/chunks.hpp"
#include "heist/parallel_for.hpp"
#include "heist/reduce.hpp"
#include "heist/reducer.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr double most_to_serial = 1.15;  // a reduction over chunks on one worker
constexpr double most_to_loop = 1.03;    // axpy over chunks, to axpy over indices
constexpr std::size_t clusters = 16;

struct point {
  double x, y;
};
using centres = std::array<point, clusters>;

// What points add up to, for each centre to which they are nearest.
struct sums {
  std::array<double, clusters> x{}, y{};
  std::array<std::uint64_t, clusters> count{};

  void add(const point& p, std::size_t cluster) {
    x[cluster] += p.x;
    y[cluster] += p.y;
    ++count[cluster];
  }
  friend sums operator+(sums a, const sums& b) {
    for (std::size_t k = 0; k < clusters; ++k) {
      a.x[k] += b.x[k];
      a.y[k] += b.y[k];
      a.count[k] += b.count[k];
    }
    return a;
  }
  // Of the counts: the coordinates depend on the order of additions.
  [[nodiscard]] std::uint64_t check() const {
    std::uint64_t h = 0;
    for (const std::uint64_t c : count) h = h * 1'000'003 + c;
    return h;
  }
};

[[gnu::always_inline]] inline std::size_t nearest(const point& p, const centres& to) {
  std::size_t best = 0;
  double least = HUGE_VAL;
  for (std::size_t k = 0; k < clusters; ++k) {
    const double dx = p.x - to[k].x;
    const double dy = p.y - to[k].y;
    const double d = dx * dx + dy * dy;
    if (d < least) {
      least = d;
      best = k;
    }
  }
  return best;
}

using points = std::vector<point>;

[[gnu::noinline]] sums serially(const points& v, const centres& to) {
  sums s;
  for (const point& p : v) s.add(p, nearest(p, to));
  return s;
}

[[gnu::noinline]] sums by_elements(const points& v, const centres& to) {
  return heist::transform_reduce(v.begin(), v.end(), sums{}, std::plus{}, [&to](const point& p) {
    sums s;
    s.add(p, nearest(p, to));
    return s;
  });
}

// As who has a loop already would write it: one view for each piece of work.
[[gnu::noinline]] sums by_reducer(const points& v, const centres& to) {
  heist::reducer<sums> all;
  heist::parallel_for_chunks(std::size_t{0}, v.size(), [&](std::size_t first, std::size_t last) {
    sums& s = *all;
    for (; first != last; ++first) s.add(v[first], nearest(v[first], to));
  });
  return all.take();
}

[[gnu::noinline]] sums by_chunks(const points& v, const centres& to) {
  return heist::reduce_chunks(
      std::size_t{0}, v.size(), sums{},
      [&](std::size_t first, std::size_t last, sums s) {
        for (; first != last; ++first) s.add(v[first], nearest(v[first], to));
        return s;
      },
      std::plus{});
}

using floats = std::vector<float>;

[[gnu::noinline]] void axpy_serially(const floats& x, floats& y) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) y[i] += 2.0F * x[i];
}
[[gnu::noinline]] void axpy_by_loop(const floats& x, floats& y) {
  heist::parallel_for(std::size_t{0}, x.size(),
                      [x = x.data(), y = y.data()](std::size_t i) { y[i] += 2.0F * x[i]; });
}
[[gnu::noinline]] void axpy_by_chunks(const floats& x, floats& y) {
  heist::parallel_for_chunks(std::size_t{0}, x.size(),
                             [x = x.data(), y = y.data()](std::size_t first, std::size_t last) {
                               for (; first != last; ++first) y[first] += 2.0F * x[first];
                             });
}

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {
      integer_option("points", "points of a round of k-means", quick ? 10'000 : 1'000'000, 1,
                     100'000'000),
      integer_option("floats", "numbers of an axpy", quick ? 10'000 : 1'000'000, 1, 100'000'000)};
}

struct side {
  unsigned workers;
  std::unique_ptr<pool> on;
  samples of_elements{}, of_reducer{}, of_chunks{}, loop{}, chunks{};
};

class play_of_all {
 public:
  play_of_all(std::size_t n, std::size_t m, const std::vector<unsigned>& workers)
      : points_(n), x_(m, 1.0F), y_(m) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> draw(0.0, 1.0);
    for (point& p : points_) p = {draw(random), draw(random)};
    for (point& p : to_) p = {draw(random), draw(random)};
    expected_ = serially(points_, to_).check();
    for (const unsigned p : workers)
      sides_.push_back({p, std::make_unique<whole_pool>(pool_config{.workers = p})});
  }

  void round() {
    serial_.add(seconds_of_sums(&serially));
    axpy_.add(seconds_of_axpy(&axpy_serially));
    for (side& s : sides_) {
      s.on->run([&] {
        s.of_elements.add(seconds_of_sums(&by_elements));
        s.of_reducer.add(seconds_of_sums(&by_reducer));
        s.of_chunks.add(seconds_of_sums(&by_chunks));
        s.loop.add(seconds_of_axpy(&axpy_by_loop));
        s.chunks.add(seconds_of_axpy(&axpy_by_chunks));
      });
    }
  }

  void report(results& r) const {
    const std::string means = fmt::format("k-means, {} points", points_.size());
    const std::string axpy = fmt::format("axpy, {} numbers", x_.size());
    const auto add = [&](const std::string& form, const samples& found, const samples& serial,
                         const std::string& table) {
      r.rows.push_back({form,
                        {{"time", "s", found}, {"to serial", "", report::ratio(found, serial)}},
                        {},
                        table});
    };
    add("serial", serial_, serial_, means);
    for (const side& s : sides_) {
      add(fmt::format("transform_reduce, P = {}", s.workers), s.of_elements, serial_, means);
      add(fmt::format("reducer, P = {}", s.workers), s.of_reducer, serial_, means);
      add(fmt::format("reduce_chunks, P = {}", s.workers), s.of_chunks, serial_, means);
    }
    add("serial", axpy_, axpy_, axpy);
    for (const side& s : sides_) {
      add(fmt::format("parallel_for, P = {}", s.workers), s.loop, axpy_, axpy);
      add(fmt::format("parallel_for_chunks, P = {}", s.workers), s.chunks, axpy_, axpy);
    }
    add_target(r, "k-means, reduce_chunks with P = 1 to serial", most_to_serial,
               report::ratio(sides_[0].of_chunks, serial_));
    for (const side& s : sides_)
      add_target(r, fmt::format("axpy, P = {}, chunks to indices", s.workers), most_to_loop,
                 report::ratio(s.chunks, s.loop));
  }

 private:
  static void add_target(results& r, std::string what, double most, const samples& ratios) {
    target t{std::move(what), "", bound::at_most, most, std::nullopt, {}};
    t.measured = ratios.median();
    r.targets.push_back(t);
  }

  template <class Sum>
  double seconds_of_sums(Sum&& sum) const {
    return time_checked("k-means", expected_, [&] { return sum(points_, to_).check(); });
  }

  // Again and again: one takes a fraction of a millisecond.
  template <class Axpy>
  double seconds_of_axpy(Axpy&& axpy) {
    constexpr int times = 20;
    const double seconds = seconds_of([&] {
      for (int i = 0; i < times; ++i) axpy(x_, y_);
    });
    return seconds / times;
  }

  points points_;
  centres to_{};
  floats x_, y_;
  std::uint64_t expected_ = 0;
  samples serial_, axpy_;
  std::vector<side> sides_;
};

results run(const workloads::option_values& values, const settings& with) {
  std::vector<unsigned> workers{1};
  if (const unsigned all = workers_of(with); all > 1) workers.push_back(all);
  play_of_all all(values.size("points"), values.size("floats"), workers);
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    all.round();
  }
  results r;
  r.title = fmt::format("loops and reductions over chunks; {} rounds", with.repeat);
  all.report(r);
  return r;
}

}  // namespace

benchmark chunks_benchmark() {
  return {"chunks", "loops and reductions over chunks, beside those over elements", &options, &run};
}

}  // namespace heist::bench
