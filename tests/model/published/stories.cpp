// The programs in which the published forms make their mistakes.
#include "tests/model/published/stories.hpp"

#include "heist/deque/abp.hpp"
#include "heist/deque/bounded_ring.hpp"
#include "heist/deque/chase_lev.hpp"
#include "heist/deque/multi_steal.hpp"
#include "tests/model/published/abp_without_tag.hpp"
#include "tests/model/published/chase_lev_relaxed_growth.hpp"
#include "tests/model/published/multi_steal_as_printed.hpp"
#include "tests/model/published/program.hpp"
#include "tests/model/published/ring_without_fence.hpp"

namespace heist_model::published {

namespace {

const char* const asserted = "USER ASSERT FAILED";  // by the ledger, which says what
const char* const freed = "ACCESS TO FREED MEMORY";

template <class Published, class Ours>
story tell(const char* name, const char* how, mistake shown, const plan& usual, program what) {
  return {name,
          how,
          shown,
          usual,
          [what](const plan& p) { return run<Published>(what, p); },
          [what](const plan& p) { return run<Ours>(what, p); }};
}

// Relacy prints the values of its atomics, and heist's ABP deque has an age in one.
struct shown_age : heist::deque::abp_age {
  shown_age() = default;
  shown_age(heist::deque::abp_age a) : abp_age(a) {}  // as the atomic's value: not explicit
  friend std::ostream& operator<<(std::ostream& out, const shown_age& a) {
    return out << "{top " << a.top() << ", tag " << a.tag() << '}';
  }
};

class atomic_age : public model_atomic<shown_age> {
 public:
  explicit atomic_age(heist::deque::abp_age a) : model_atomic(a) {}

  bool compare_exchange_strong(heist::deque::abp_age& expected, heist::deque::abp_age desired,
                               std::memory_order order, std::memory_order failure) {
    shown_age seen = expected;
    const bool done = model_atomic::compare_exchange_strong(seen, desired, order, failure);
    expected = seen;
    return done;
  }
};

struct abp_atomics : model_atomics {
  template <class T>
  using atomic =
      std::conditional_t<std::is_same_v<T, heist::deque::abp_age>, atomic_age, model_atomic<T>>;
};

using ring = ring_without_fence<item, model_atomics>;
using heists_ring = heist::deque::bounded_ring<item, model_atomics>;
using abp = abp_without_tag<item, model_atomics>;
using heists_abp = heist::deque::abp<item, abp_atomics>;
using chase_lev = chase_lev_relaxed_growth<item, model_atomics>;
using heists_chase_lev = heist::deque::chase_lev<item, model_atomics>;

using printed = multi_steal_as_printed<item, model_atomics>;
using heists_multi_steal = heist::deque::multi_steal<item, model_atomics>;

constexpr plan all{search::exhaustive};
constexpr plan few_switches{search::bounded, 3};

// See `program` for the numbers and letters.
std::vector<story> multi_steal_stories() {
  const auto one = [](const char* name, const char* how, mistake shown, program what) {
    return tell<printed, heists_multi_steal>(name, how, shown, few_switches, what);
  };
  return {
      one("MultiSteal2PopsWithinReach", asserted, mistake::taken_twice, {4, 2, 2, 0, 4, "o", "b"}),
      one("MultiSteal3PopsWithinReach", asserted, mistake::taken_twice, {4, 3, 3, 0, 4, "o", "b"}),
      one("MultiStealTakesFromEmpty", asserted, mistake::never_pushed, {4, 2, 0, 0, 4, "", "b"}),
      one("MultiStealLosesAPush", asserted, mistake::lost, {4, 2, 0, 0, 4, "p", "b", "", true}),
      one("MultiStealFreesWhatIsRead", freed, mistake::none, {2, 2, 2, 0, 4, "p", "b"}),
      one("MultiStealCopiesWithoutRoom", asserted, mistake::taken_twice, {4, 3, 3, 1, 1, "", "b"}),
      one("MultiStealPublishesCopiesUnordered", asserted, mistake::never_pushed,
          {4, 2, 2, 1, 4, "", "b", "b"}),
      one("MultiStealOwnerTakesTheOldest", asserted, mistake::not_newest, {4, 3, 2, 0, 4, "O", ""}),
  };
}

}  // namespace

std::vector<story> stories() {
  std::vector<story> told{
      tell<ring, heists_ring>("RingPopsWithoutFence", asserted, mistake::taken_twice, all,
                              {4, 0, 2, 0, 4, "o", "ss"}),
      tell<abp, heists_abp>("AbpWithoutTag", asserted, mistake::taken_twice, all,
                            {2, 0, 0, 0, 2, "pop", "s"}),
      tell<chase_lev, heists_chase_lev>("ChaseLevGrowsRelaxed", asserted, mistake::never_pushed,
                                        few_switches, {1, 0, 1, 0, 1, "p", "s"}),
  };
  for (story& s : multi_steal_stories()) told.push_back(std::move(s));
  return told;
}

}  // namespace heist_model::published
