// The programs that run on the Chase-Lev deque, and on the ring that grows under it.
#include "heist/deque/chase_lev.hpp"
#include "tests/model/queue_suite.hpp"

namespace heist_model {

namespace {

using deque = heist::deque::chase_lev<queue_item, model_atomics>;

// Letters: see queue_script. Capacities are small, so that arrays are replaced soon.
const searched_queue_script scripts[] = {
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

family chase_lev_family() {
  return queue_family<deque>("chase_lev", {"chase_lev.hpp", "growable_ring.hpp"}, scripts);
}

}  // namespace heist_model
