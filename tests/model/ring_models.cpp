// The programs that run on the bounded ring and on the Chase-Lev deque, with the ring that grows
// under it.
#include "heist/deque/bounded_ring.hpp"
#include "heist/deque/chase_lev.hpp"
#include "tests/model/queue_suite.hpp"

namespace heist_model {

namespace {

using bounded_ring = heist::deque::bounded_ring<queue_item, model_atomics>;

// Letters: see queue_script. Capacities are small, so that slots are used again soon.
const searched_queue_script ring_scripts[] = {
    {{search::exhaustive}, {"ring_push_steal", 2, {"p", "s", ""}}},
    {{search::exhaustive}, {"ring_last_item", 2, {"po", "s", ""}}},
    {{search::bounded, 3}, {"ring_two_items", 2, {"ppoo", "ss", ""}}},
    {{search::bounded, 3}, {"ring_two_thieves", 2, {"ppoo", "s", "s"}}},
    {{search::bounded, 3}, {"ring_known", 2, {"ppn", "k", "s"}}},
    // The owner meets the end of the ring, and slots that thieves have just left.
    {{search::bounded, 3}, {"ring_full", 2, {"ppppp", "ss", "s"}}},
    {{search::bounded, 3}, {"ring_reuse", 2, {"ppopoopp", "s", "s"}}},

    {{search::random}, {"ring_of_two", 2, {"p????????", "???", "???"}, "ppo"}},
    {{search::random}, {"ring_of_four", 4, {"pp???????????", "????", "???"}, "ppo"}},
};

using chase_lev = heist::deque::chase_lev<queue_item, model_atomics>;

// Letters: see queue_script. Capacities are small, so that arrays are replaced soon.
const searched_queue_script chase_lev_scripts[] = {
    {{search::exhaustive}, {"cl_push_steal", 1, {"p", "s", ""}}},
    {{search::bounded, 3}, {"cl_last_item", 1, {"po", "s", ""}}},
    {{search::bounded, 3}, {"cl_two_items", 2, {"ppoo", "ss", ""}}},
    {{search::bounded, 2}, {"cl_two_thieves", 2, {"ppoo", "s", "s"}}},
    {{search::bounded, 2}, {"cl_known", 2, {"ppn", "k", "s"}}},
    {{search::bounded, 3}, {"cl_grow", 1, {"pp", "s", ""}}},
    {{search::bounded, 2}, {"cl_grow_twice", 1, {"ppppp", "ss", ""}}},
    {{search::bounded, 2}, {"cl_grow_shrink", 1, {"ppoh", "ss", ""}}},
    {{search::bounded, 2}, {"cl_reuse", 2, {"ppopoopp", "s", "s"}}},

    {{search::random}, {"cl_fixed", 4, {"??????", "???", "??"}}},
    {{search::random}, {"cl_growing", 1, {"pp????????", "???", "??"}, "ppo"}},
    {{search::random}, {"cl_resizing", 1, {"pp??????????", "???", "???"}, "pppooh"}},
};

}  // namespace

family bounded_ring_family() {
  return queue_family<bounded_ring>("bounded_ring", {"bounded_ring.hpp"}, ring_scripts);
}

family chase_lev_family() {
  return queue_family<chase_lev>("chase_lev", {"chase_lev.hpp", "growable_ring.hpp"},
                                 chase_lev_scripts);
}

}  // namespace heist_model
