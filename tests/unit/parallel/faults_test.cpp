// Bodies, predicates, operations and comparisons throw at every place and at every call, and the
// leftmost exception arrives.
#include <algorithm>
#include <functional>
#include <list>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "heist/count.hpp"
#include "heist/find.hpp"
#include "heist/for_each.hpp"
#include "heist/histogram.hpp"
#include "heist/merge.hpp"
#include "heist/minmax_element.hpp"
#include "heist/parallel_for.hpp"
#include "heist/partition.hpp"
#include "heist/reduce.hpp"
#include "heist/scan.hpp"
#include "heist/sort.hpp"
#include "heist/transform.hpp"
#include "tests/unit/parallel/fallible.hpp"

namespace heist_test {
namespace {

using places = std::vector<std::size_t>;

// An element that records a visit when it is compared.
struct compared {
  visits* log;
  std::size_t place;
  friend bool operator==(const compared& a, int) {
    a.log->visit(a.place);
    return false;
  }
};
struct visitor {
  std::string name;
  // Visits each of 0, 1, ... log.size() - 1, which are in `all`.
  std::function<void(heist::pool&, visits& log, const places& all)> run;
};

template <class Run>
visitor visits_by(std::string name, const Run& run) {
  return {std::move(name), [run](heist::pool& pool, visits& log, const places& all) {
            run(pool, all, [&log](std::size_t i) {
              log.visit(i);
              return false;
            });
          }};
}

// Algorithms whose elements record visits.
template <class T, class Run>
visitor visits_of(std::string name, const Run& run) {
  return {std::move(name), [run](heist::pool& pool, visits& log, const places& all) {
            std::vector<T> elements;
            for (const std::size_t i : all) elements.push_back({&log, i});
            run(pool, all, elements);
          }};
}

std::vector<visitor> visitors() {
  const auto zero = [](const auto& see) {
    return [&see](std::size_t i) { return static_cast<int>(see(i)); };
  };
  return {
      visits_by("parallel_for", [](auto& p, auto& v, auto see) { heist::parallel_for(p, v, see); }),
      visits_by("for_each", [](auto& p, auto& v, auto see) { heist::for_each(p, v, see); }),
      visits_by("for_each of a list",
                [](auto& p, auto& v, auto see) {
                  const std::list<std::size_t> list(v.begin(), v.end());
                  heist::for_each(p, list, see);
                }),
      visits_by("transform",
                [=](auto& p, auto& v, auto see) {
                  std::vector<int> out(v.size());
                  heist::transform(p, v, out.begin(), zero(see));
                }),
      visits_by("transform of two",
                [](auto& p, auto& v, auto see) {
                  std::vector<int> out(v.size());
                  heist::transform(p, v, v.begin(), out.begin(),
                                   [&](std::size_t i, std::size_t) { return int{see(i)}; });
                }),
      visits_by("copy_if",
                [](auto& p, auto& v, auto see) {
                  places out(v.size());
                  heist::copy_if(p, v, out.begin(), see);
                }),
      visits_by("partition",
                [](auto& p, auto& v, auto see) {
                  places mine = v;
                  heist::partition(p, mine, see);
                }),
      visits_by("histogram",
                [=](auto& p, auto& v, auto see) { heist::histogram(p, v, 1, zero(see)); }),
      visits_by("count_if", [](auto& p, auto& v, auto see) { heist::count_if(p, v, see); }),
      visits_by("find_if", [](auto& p, auto& v, auto see) { heist::find_if(p, v, see); }),
      visits_by("find_any", [](auto& p, auto& v, auto see) { heist::find_any(p, v, see); }),
      visits_by("any_of", [](auto& p, auto& v, auto see) { heist::any_of(p, v, see); }),
      visits_by("none_of", [](auto& p, auto& v, auto see) { heist::none_of(p, v, see); }),
      visits_by("all_of",
                [](auto& p, auto& v, auto see) {
                  heist::all_of(p, v, [&](std::size_t i) { return !see(i); });
                }),
      visits_by("transform_reduce",
                [=](auto& p, auto& v, auto see) {
                  heist::transform_reduce(p, v, 0, std::plus<>{}, zero(see));
                }),
      visits_of<cell>("copy",
                      [](auto& p, auto& v, auto& cells) { heist::copy(p, v, cells.begin()); }),
      visits_of<cell>("fill", [](auto& p, auto&, auto& cells) { heist::fill(p, cells, 7); }),
      visits_of<cell>("generate", [](auto& p, auto&,
                                     auto& cells) { heist::generate(p, cells, [] { return 7; }); }),
      visits_of<cell>("transform, writing",
                      [](auto& p, auto& v, auto& cells) {
                        heist::transform(p, v, cells.begin(), std::negate<>{});
                      }),
      visits_of<cell>("copy_if, writing",
                      [](auto& p, auto& v, auto& cells) {
                        heist::copy_if(p, v, cells.begin(), [](std::size_t) { return true; });
                      }),
      visits_of<compared>("count",
                          [](auto& p, auto&, auto& elements) { heist::count(p, elements, 3); }),
      visits_of<compared>("find",
                          [](auto& p, auto&, auto& elements) { heist::find(p, elements, 3); }),
  };
}

class Visiting : public testing::TestWithParam<visitor> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, Visiting, testing::ValuesIn(visitors()), [](const auto& one) {
  std::string name = one.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

// The exception is that of a serial run. All places to its left have been visited, and none twice.
TEST_P(Visiting, ThrowsTheLeftmost) {
  for (const auto& pool : pools()) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{60}, std::size_t{3000}}) {
      places all(n);
      std::iota(all.begin(), all.end(), std::size_t{0});
      const std::size_t step = n <= 60 ? 1 : n / static_cast<std::size_t>(scaled(20));
      for (std::size_t bad = 0; bad < n + step; bad += step) {
        visits log(n, bad);
        std::size_t caught = n;
        try {
          GetParam().run(*pool, log, all);
        } catch (const visits::thrown& t) {
          caught = t.place;
        }
        ASSERT_EQ(caught, std::min(bad, n)) << "with " << pool->workers();
        log.expect_exact();
        if (HasFailure()) return;
      }
    }
  }
}

// If the answer lies to the left of the place that throws, either the answer or the exception may
// arrive.
TEST(Searches, ThrowWhatIsLeftOfTheAnswer) {
  places all(2000);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const auto& pool : pools()) {
    for (const std::size_t bad : {0U, 700U, 1000U, 1001U, 1999U}) {
      visits log(all.size(), bad);
      std::size_t found = all.size();
      std::size_t caught = all.size();
      try {
        found = *heist::find_if(*pool, all, [&](std::size_t i) {
          if (i == 1000 && bad != 1000) return true;
          log.visit(i);
          return false;
        });
      } catch (const visits::thrown& t) {
        caught = t.place;
      }
      if (bad <= 1000)
        EXPECT_EQ(caught, bad);
      else
        EXPECT_EQ(found, 1000U) << caught;
    }
  }
}

// ---- functions of two elements, whose calls belong to no place

struct caller {
  std::string name;
  std::function<void(heist::pool&, std::vector<tracked>&, failing_calls&)> run;
};

auto less_by(failing_calls& calls) {
  return [&calls](const tracked& a, const tracked& b) {
    calls.call();
    return a < b;
  };
}
auto plus_by(failing_calls& calls) {
  return [&calls](const tracked& a, const tracked& b) {
    calls.call();
    return a + b;
  };
}

std::vector<caller> callers() {
  return {
      {"sort", [](auto& p, auto& v, auto& calls) { heist::sort(p, v, less_by(calls)); }},
      {"merge",
       [](auto& p, auto& v, auto& calls) {
         std::vector<tracked> out(2 * v.size());
         heist::merge(p, v, v, out.begin(), less_by(calls));
       }},
      {"min_element",
       [](auto& p, auto& v, auto& calls) { heist::min_element(p, v, less_by(calls)); }},
      {"max_element",
       [](auto& p, auto& v, auto& calls) { heist::max_element(p, v, less_by(calls)); }},
      {"minmax_element",
       [](auto& p, auto& v, auto& calls) { heist::minmax_element(p, v, less_by(calls)); }},
      {"reduce",
       [](auto& p, auto& v, auto& calls) { heist::reduce(p, v, tracked(1), plus_by(calls)); }},
      {"transform_reduce",
       [](auto& p, auto& v, auto& calls) {
         heist::transform_reduce(p, v, v.begin(), tracked(1), plus_by(calls), plus_by(calls));
       }},
      {"inclusive_scan",
       [](auto& p, auto& v, auto& calls) {
         heist::inclusive_scan(p, v, v.begin(), plus_by(calls));
       }},
      {"exclusive_scan",
       [](auto& p, auto& v, auto& calls) {
         heist::exclusive_scan(p, v, v.begin(), tracked(1), plus_by(calls));
       }},
  };
}

class Calling : public testing::TestWithParam<caller> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, Calling, testing::ValuesIn(callers()),
                         [](const auto& one) { return one.param.name; });

TEST_P(Calling, ThrowsWhatACallThrew) {
  for (const auto& pool : pools()) {
    for (const std::size_t n : {std::size_t{40}, std::size_t{5000}}) {
      std::vector<tracked> input(n);
      for (std::size_t i = 0; i < n; ++i) input[i].value = static_cast<int>(i / 2 + i % 5);
      if (GetParam().name == "merge") std::sort(input.begin(), input.end());
      const long alive = counted::alive;
      bool thrown = true;
      for (long at = 1; thrown; at += n == 40 ? 1 : 1 + at / 3) {
        failing_calls calls(at);
        auto v = input;
        thrown = false;
        try {
          GetParam().run(*pool, v, calls);
        } catch (long call) {
          thrown = true;
          EXPECT_GE(call, at);
          if (pool->workers() == 1 || is_serial()) {
            EXPECT_EQ(call, at);
          }
        }
        ASSERT_EQ(thrown, calls.calls() >= at) << "at call " << at << ", " << pool->workers();
        v.clear();
        ASSERT_EQ(counted::alive, alive) << "at call " << at;
      }
    }
  }
}

}  // namespace
}  // namespace heist_test
