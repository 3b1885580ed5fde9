// The programs that run on the bounded ring.
#include "heist/deque/bounded_ring.hpp"
#include "tests/model/queue_suite.hpp"

namespace heist_model {

namespace {

using deque = heist::deque::bounded_ring<queue_item, model_atomics>;

// Letters: see queue_script. Capacities are small, so that slots are used again soon.
const searched_queue_script scripts[] = {
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

}  // namespace

family bounded_ring_family() {
  return queue_family<deque>("bounded_ring", {"bounded_ring.hpp"}, scripts);
}

}  // namespace heist_model
