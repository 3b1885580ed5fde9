// The programs that run on the split deque: on its control alone, with fibers, and on the deque
// that consists of the control and an array of items.
#include "heist/deque/split.hpp"
#include "tests/model/queue_suite.hpp"
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
    // A thief takes items that the owner publishes, and does not wait.
    {{search::exhaustive}, {"publish_steal", 2, "pxo", {"s", ""}}},
    {{search::exhaustive}, {"pop_expose", 2, "po", {"e", ""}}},
    {{search::exhaustive}, {"push_expose_steal", 2, "p", {"es", ""}}},
    {{search::exhaustive}, {"ask", 2, "pp", {"as", ""}}},
    // Reseats: a thief that was stopped before its exchange meets another fiber's word.
    {{search::bounded, 3}, {"stale_steal", 2, "pxopx", {"s", "s"}}},
    {{search::bounded, 2}, {"stale_head", 2, "ppxo", {"ss", "es"}}},
    {{search::bounded, 2}, {"suspend_resume", 2, "ppxoro", {"ss", "e"}}},
    // Proposals compete with pops and with each other, also in a full deque.
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

// Letters: see queue_script. The thieves' steal also asks, and reads the slot before its exchange.
const searched_queue_script deque_scripts[] = {
    {{search::exhaustive}, {"deque_publish", 2, {"px", "s", ""}}},
    {{search::bounded, 3}, {"deque_ask", 2, {"pp", "ss", ""}}},
    // A thief that has read its slot meets the next item there: after the item was taken back,
    // after all were stolen, or below a proposal that began earlier.
    {{search::bounded, 3}, {"deque_take_back", 2, {"pxopx", "s", ""}}},
    {{search::bounded, 2}, {"deque_all_stolen", 2, {"pxopx", "s", "s"}}},
    {{search::bounded, 3}, {"deque_proposal", 2, {"pxopop", "s", "e"}}},
    {{search::bounded, 3}, {"deque_full", 2, {"pppooo", "es", ""}}},

    {{search::random}, {"deque_asked", 2, {"p????????", "???", "???"}, "ppo"}},
    {{search::random}, {"deque_exposed", 2, {"p????????", "????", "????"}, "ppo", "se"}},
    {{search::random}, {"deque_of_four", 4, {"pp???????????", "????", "????"}, "ppopox", "sse"}},
};

using deque = heist::deque::split<queue_item, model_atomics>;

outcome run(const queue_script& play, const plan& p) {
  settings.fence_in_publish = false;
  return run_queue<deque>(play, p);
}

outcome run(const script& play, const plan& p) {
  running_script = &play;
  settings.fence_in_publish = false;
  return threads_of(play) == 2 ? simulate<deque_suite<2>>(p) : simulate<deque_suite<3>>(p);
}

}  // namespace

family split_family() {
  family f{"split", {"split_control.hpp", "split.hpp"}, {}};
  for (const searched_script& s : scripts)
    f.models.push_back({f.name, s.play.name, threads_of(s.play), s.play.capacity, s.usual,
                        [&s](const plan& p) { return run(s.play, p); }});
  for (const searched_queue_script& s : deque_scripts)
    f.models.push_back({f.name, s.play.name, threads_of(s.play), s.play.capacity, s.usual,
                        [&s](const plan& p) { return run(s.play, p); }});
  return f;
}

}  // namespace heist_model
