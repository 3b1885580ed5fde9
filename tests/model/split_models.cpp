// The programs that run on the split deque.
#include "tests/model/simulate.hpp"
#include "tests/model/split_suite.hpp"

namespace heist_model {

namespace {

struct searched_script {
  plan usual;
  script play;
};

// Letters: see script. Capacities are small, so that full and empty are near.
const searched_script scripts[] = {
    // A thief takes what the owner publishes, and waits for nothing.
    {{search::exhaustive}, {"publish_steal", 2, "pxo", {"s", ""}}},
    {{search::exhaustive}, {"pop_expose", 2, "po", {"e", ""}}},
    {{search::exhaustive}, {"push_expose_steal", 2, "p", {"es", ""}}},
    {{search::exhaustive}, {"ask", 2, "pp", {"as", ""}}},
    // Reseats: a thief that stopped before its exchange meets another fiber's word.
    {{search::bounded, 3}, {"stale_steal", 2, "pxopx", {"s", "s"}}},
    {{search::bounded, 2}, {"stale_head", 2, "ppxo", {"ss", "es"}}},
    {{search::bounded, 2}, {"suspend_resume", 2, "ppxoro", {"ss", "e"}}},
    // Proposals against pops, against each other, and in a full deque.
    {{search::bounded, 3}, {"pop_steal_exposed", 2, "ppoo", {"es", ""}}},
    {{search::bounded, 2}, {"two_proposals", 2, "ppo", {"e", "e"}}},
    {{search::bounded, 3}, {"overflow", 1, "ppo", {"es", ""}}},
    {{search::bounded, 3}, {"reclaim", 3, "pppxoo", {"s", "s"}}},

    {{search::random}, {"asked", 3, "???????", {"???", "??"}, "por", "sa"}},
    {{search::random}, {"exposed", 3, "p?????", {"???", "??"}, "por", "se"}},
    {{search::random}, {"exposed_deep", 4, "pp??*", {"??", "??"}, "por", "se"}},
    {{search::random}, {"asked_and_exposed", 3, "p????????", {"????", "???"}}},
    {{search::random}, {"owner_exposes", 2, "?????????", {"???", "??"}, "porx", "s"}},
    {{search::random}, {"everything", 4, "????????????????", {"??????", "??????"}, "porx"}},
};

outcome run(const script& play, const plan& p) {
  running_script = &play;
  settings.fence_in_publish = false;
  return *play.thieves[1] == 0 ? simulate<deque_suite<2>>(p) : simulate<deque_suite<3>>(p);
}

}  // namespace

family split_family() {
  family f{"split", {"split_control.hpp"}, {}};
  for (const searched_script& s : scripts)
    f.models.push_back(
        {f.name, s.play.name, s.usual, [&s](const plan& p) { return run(s.play, p); }});
  return f;
}

}  // namespace heist_model
