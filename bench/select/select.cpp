// Measures copy_if and stable_partition beside std's: half of the elements chosen at random, one of
// a hundred, and all, of 10^4 elements and more.
//
// std's copy_if branches on every answer, so its time depends on how well the processor foresees
// them: half at random is its worst case, all its best. So each call of a turn has elements of its
// own: the answers for the same 10^4, again and again, are soon learnt.
#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "bench/rounds.hpp"
#include "heist/partition.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr double most_to_std = 0.7;  // on all workers

struct share {
  const char* name;
  unsigned percent;
};
constexpr std::array<share, 3> shares = {{{"half", 50}, {"one of 100", 1}, {"all", 100}}};

using elements = std::vector<unsigned>;

// One algorithm over one input. Each turn has as many calls as give it a million elements.
class cell {
 public:
  cell(std::size_t n, const share& chosen, const std::vector<unsigned>& workers)
      : name_(fmt::format("{} of {}", chosen.name, n)),
        n_(n),
        times_(std::clamp<std::size_t>(1'000'000 / n, 1, 100)),
        input_(n * times_),
        output_(n),
        percent_(chosen.percent) {
    std::mt19937 random(1);
    for (unsigned& x : input_) x = static_cast<unsigned>(random() % 100);
    for (const unsigned p : workers)
      sides_.push_back({p, std::make_unique<whole_pool>(pool_config{.workers = p}), {}, {}});
  }

  void round() {
    const auto chosen = [most = percent_](unsigned x) { return x < most; };
    copied_.add(us_a_copy(
        [&](auto first) { std::copy_if(first, first + size(), output_.begin(), chosen); }));
    const elements expected = output_;
    elements parted;
    parted_.add(us_a_partition(
        [&](elements& v) { std::stable_partition(v.begin(), v.end(), chosen); }, parted));
    for (side& s : sides_) {
      std::fill(output_.begin(), output_.end(), 0U);
      s.on->run([&] {
        s.copied.add(us_a_copy(
            [&](auto first) { heist::copy_if(first, first + size(), output_.begin(), chosen); }));
      });
      const auto end = std::count_if(input_.end() - size(), input_.end(), chosen);
      check_result("copy_if", 1,
                   std::equal(output_.begin(), output_.begin() + end, expected.begin()));
      elements found;
      s.on->run([&] {
        s.parted.add(
            us_a_partition([&](elements& v) { heist::stable_partition(v, chosen); }, found));
      });
      check_result("stable_partition", 1, found == parted);
    }
  }

  void report(results& r) const {
    report(r, "copy_if", copied_, &side::copied);
    report(r, "stable_partition", parted_, &side::parted);
  }

 private:
  struct side {
    unsigned workers;
    std::unique_ptr<pool> on;
    samples copied, parted;
  };

  [[nodiscard]] std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(n_); }

  // Of the elements of each call in turn; copy(first) gets the first of them.
  template <class Copy>
  double us_a_copy(Copy&& copy) const {
    const double seconds = seconds_of([&] {
      for (auto first = input_.begin(); first != input_.end(); first += size()) copy(first);
    });
    return seconds / static_cast<double>(times_) * 1e6;
  }

  // The last of the partitioned vectors is left in `last`.
  template <class Partition>
  double us_a_partition(Partition&& partition, elements& last) const {
    std::vector<elements> all;
    for (auto first = input_.begin(); first != input_.end(); first += size())
      all.emplace_back(first, first + size());
    const double seconds = seconds_of([&] {
      for (elements& v : all) partition(v);
    });
    last = std::move(all.back());
    return seconds / static_cast<double>(times_) * 1e6;
  }

  void report(results& r, const char* algorithm, const samples& standard,
              samples side::*ours) const {
    r.rows.push_back({fmt::format("std, {}", name_), {{"a call", "us", standard}}, {}, algorithm});
    for (const side& s : sides_) {
      const samples ratio = report::ratio(s.*ours, standard);
      r.rows.push_back({fmt::format("heist, P = {}, {}", s.workers, name_),
                        {{"a call", "us", s.*ours}, {"to std", "", ratio}},
                        {},
                        algorithm});
      if (s.workers == 1) continue;
      target t{fmt::format("{}, P = {}, {}, to std", algorithm, s.workers, name_),
               "",
               bound::at_most,
               most_to_std,
               std::nullopt,
               {}};
      t.measured = ratio.median();
      r.targets.push_back(t);
    }
  }

  const std::string name_;
  const std::size_t n_, times_;
  elements input_, output_;
  const unsigned percent_;
  samples copied_, parted_;  // std's
  std::vector<side> sides_;
};

std::vector<workloads::option_spec> options(scale of) {
  return {integer_option("digits", "from 10^4 to 10^digits elements; below 4, only 10^digits",
                         of == scale::quick ? 3 : 7, 0, 9)};
}

results run(const workloads::option_values& values, const settings& with) {
  std::vector<unsigned> workers{1};
  if (const unsigned all = workers_of(with); all > 1) workers.push_back(all);
  std::vector<std::unique_ptr<cell>> cells;
  const auto digits = values.integer("digits");
  std::size_t n = 1;
  for (std::int64_t d = 0; d <= digits; ++d, n *= 10)
    if (d == digits || d >= 4)
      for (const share& each : shares) cells.push_back(std::make_unique<cell>(n, each, workers));
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("round {} of {}", round, with.repeat));
    for (const auto& each : cells) each->round();
  }
  results r;
  r.title = fmt::format("copy_if and stable_partition of unsigned; {} rounds", with.repeat);
  for (const auto& each : cells) each->report(r);
  return r;
}

}  // namespace

benchmark select_benchmark() {
  return {"select", "copy_if and stable_partition, beside std's", &options, &run};
}

}  // namespace heist::bench
