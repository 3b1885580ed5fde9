#include "bench/sort/matrix.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace heist::bench::sorting {

namespace {

// Elements in the order of the input, made anew for each turn: where the memory that strings own
// lies must not depend on an earlier turn.
template <class T>
class elements {
 public:
  explicit elements(const cell& what) : what_(what), sorted_(what.keys) {
    std::sort(sorted_.begin(), sorted_.end());
    now_.reserve(sorted_.size());
  }

  // A turn of a short sort has several, of which the median counts.
  double turn(const side& by) {
    samples times;
    double sum = 0;
    do {
      times.add(time(by));
      sum += times.values().back();
    } while (sum < turn_s && times.size() < most_times);
    return times.median();
  }

 private:
  static constexpr double turn_s = 2e-3;
  static constexpr std::size_t most_times = 5;

  double time(const side& by) {
    now_.clear();
    for (const auto key : what_.keys) now_.push_back(element_of<T>(key));
    double seconds = 0;
    by.within(what_.workers, [&] {
      T* const first = now_.data();
      const auto sort = std::get<sort_function<T>>(by.sorts);
      seconds = seconds_of([&] { sort(first, first + now_.size()); });
    });
    const bool is_right =
        std::equal(now_.begin(), now_.end(), sorted_.begin(),
                   [](const T& element, std::int64_t key) { return key_of(element) == key; });
    check_result(fmt::format("{}, {}", by.name, what_.input), 1, is_right ? 1 : 0);
    return seconds;
  }

  const cell& what_;
  std::vector<std::int64_t> sorted_;
  std::vector<T> now_;
};

template <class T>
outcome play_type(const cell& what, const std::vector<side>& sides, const settings& with) {
  elements<T> sorted(what);
  std::vector<samples> times(sides.size());
  for (unsigned round = 1; round <= with.repeat; ++round) {
    with.announce(fmt::format("{}, {}, {} worker{}: round {} of {}", type_names[what.type],
                              what.input, what.workers, what.workers == 1 ? "" : "s", round,
                              with.repeat));
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (std::get<sort_function<T>>(sides[i].sorts) == nullptr) continue;
      times[i].add(sorted.turn(sides[i]));
      if (what.workers > 1) std::this_thread::sleep_for(sides[i].rests);
    }
  }
  outcome result{times[0], {}, {}};
  for (std::size_t i = 1; i < sides.size(); ++i) {
    if (times[i].empty()) continue;
    if (!result.best.empty() && times[i].median() >= result.best.median()) continue;
    result.best = times[i];
    result.best_name = sides[i].name;
  }
  return result;
}

using player = outcome (*)(const cell&, const std::vector<side>&, const settings&);
template <class Types>
struct players;
template <class... T>
struct players<std::tuple<T...>> {
  static constexpr std::array<player, sizeof...(T)> all = {&play_type<T>...};
};

}  // namespace

outcome play(const cell& what, const std::vector<side>& sides, const settings& with) {
  return players<element_types>::all[what.type](what, sides, with);
}

}  // namespace heist::bench::sorting
