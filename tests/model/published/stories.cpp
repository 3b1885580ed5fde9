// The programs in which the published forms make their mistakes.
#include "tests/model/published/stories.hpp"

#include "heist/deque/bounded_ring.hpp"
#include "heist/deque/chase_lev.hpp"
#include "tests/model/published/chase_lev_relaxed_growth.hpp"
#include "tests/model/published/program.hpp"
#include "tests/model/published/ring_without_fence.hpp"

namespace heist_model::published {

namespace {

const char* const asserted = "USER ASSERT FAILED";  // by the ledger, which says what

template <class Published, class Ours>
story tell(const char* name, const char* how, mistake shown, const plan& usual, program what) {
  return {name,
          how,
          shown,
          usual,
          [what](const plan& p) { return run<Published>(what, p); },
          [what](const plan& p) { return run<Ours>(what, p); }};
}

using ring = ring_without_fence<item, model_atomics>;
using heists_ring = heist::deque::bounded_ring<item, model_atomics>;
using chase_lev = chase_lev_relaxed_growth<item, model_atomics>;
using heists_chase_lev = heist::deque::chase_lev<item, model_atomics>;

constexpr plan all{search::exhaustive};

}  // namespace

// The program's numbers and letters: see there.
std::vector<story> stories() {
  return {
      tell<ring, heists_ring>("RingPopsWithoutFence", asserted, mistake::taken_twice, all,
                              {4, 0, 2, 0, 4, "o", "ss"}),
      tell<chase_lev, heists_chase_lev>("ChaseLevGrowsRelaxed", asserted, mistake::never_pushed,
                                        {search::bounded, 4}, {1, 0, 1, 0, 1, "p", "s"}),
  };
}

}  // namespace heist_model::published
