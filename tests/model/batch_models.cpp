// The programs that run on the deques whose thieves take several items at once.
#include "heist/deque/multi_steal.hpp"
#include "heist/deque/steal_half.hpp"
#include "tests/model/queue_suite.hpp"

namespace heist_model {

namespace {

using multi_steal = heist::deque::multi_steal<queue_item, model_atomics>;
using steal_half = heist::deque::steal_half<queue_item, model_atomics>;

template <std::size_t K>
class up_to : public multi_steal {
 public:
  explicit up_to(std::size_t capacity) : multi_steal(capacity, K) {}
};

class two_or_one : public multi_steal {
 public:
  explicit two_or_one(std::size_t capacity)
      : multi_steal(capacity, 2, heist::steal_rule::k_or_one) {}
};

// Letters: see queue_script. Capacities are small, so that arrays are replaced soon.
const searched_queue_script twos[] = {
    {{search::bounded, 3}, {"ms2_last_item", 2, {"po", "b", ""}}},
    {{search::bounded, 3}, {"ms2_both", 2, {"ppo", "b", ""}}},
    {{search::bounded, 3}, {"ms2_pop_all", 4, {"pppoo", "b", ""}}},
    {{search::bounded, 3}, {"ms2_push_after_pop", 2, {"popp", "b", ""}}},
    {{search::bounded, 2}, {"ms2_two_batches", 4, {"ppppo", "bb", ""}}},
    {{search::bounded, 2}, {"ms2_two_thieves", 2, {"ppo", "b", "b"}}},
    {{search::bounded, 2}, {"ms2_known", 2, {"ppn", "k", "s"}}},
    {{search::bounded, 2}, {"ms2_grow", 2, {"ppp", "b", ""}}},
    {{search::bounded, 2}, {"ms2_from_thief", 2, {"ppb", "b*", ""}}},
    {{search::bounded, 2}, {"ms2_thief_grows", 1, {"ppss", "pbo", ""}}},
    {{search::bounded, 2}, {"ms2_reuse", 2, {"ppopopp", "b", ""}}},

    {{search::random}, {"ms2_fixed", 4, {"??????", "???", "??"}, "pob", "bso"}},
    {{search::random}, {"ms2_resizing", 1, {"pp????????", "???", "???"}, "ppobh", "bsopp"}},
};

const searched_queue_script threes[] = {
    {{search::bounded, 3}, {"ms3_all", 4, {"pppo", "b", ""}}},
    {{search::bounded, 2}, {"ms3_two_batches", 8, {"ppppppo", "bb", ""}}},
    {{search::bounded, 1}, {"ms3_two_thieves", 4, {"pppoo", "b", "b"}}},
    {{search::bounded, 2}, {"ms3_thief_grows", 1, {"pppss", "pb", ""}}},

    {{search::random}, {"ms3_fixed", 4, {"ppp?????", "???", "??"}, "pob", "bso"}},
    {{search::random}, {"ms3_resizing", 1, {"ppp???????", "???", "???"}, "ppobh", "bsopp"}},
};

const searched_queue_script twos_or_ones[] = {
    {{search::bounded, 2}, {"ms2or1_both", 2, {"ppo", "b", ""}}},
    {{search::bounded, 2}, {"ms2or1_two_batches", 4, {"pppo", "bb", ""}}},

    {{search::random}, {"ms2or1_fixed", 4, {"??????", "???", "??"}, "pob", "bso"}},
};

const searched_queue_script halves[] = {
    {{search::bounded, 3}, {"sh_last_item", 2, {"po", "b", ""}}},
    {{search::bounded, 3}, {"sh_two_items", 2, {"ppo", "b", ""}}},
    {{search::bounded, 2}, {"sh_highest", 4, {"ppppooo", "b", ""}}},
    {{search::bounded, 2}, {"sh_highest_again", 4, {"ppppopoo", "bb", ""}}},
    {{search::bounded, 2}, {"sh_two_thieves", 4, {"pppo", "b", "b"}}},
    {{search::bounded, 2}, {"sh_known", 2, {"ppn", "k", "s"}}},
    {{search::bounded, 2}, {"sh_grow", 2, {"ppp", "b", ""}}},
    {{search::bounded, 2}, {"sh_thief_grows", 1, {"ppppss", "pb", ""}}},
    {{search::bounded, 2}, {"sh_reuse", 2, {"ppopopp", "b", ""}}},

    {{search::random}, {"sh_fixed", 4, {"pppp????", "???", "??"}, "pob", "bso"}},
    {{search::random}, {"sh_popping", 4, {"pppp??????", "??", "??"}, "poo", "bbs"}},
    {{search::random}, {"sh_resizing", 1, {"pppp???????", "???", "???"}, "ppobh", "bsopp"}},
};

}  // namespace

family multi_steal_family() {
  const std::vector<std::string> headers{"multi_steal.hpp", "batch_stealing.hpp"};
  family both = queue_family<up_to<2>>("multi_steal", headers, twos);
  for (model& m : queue_family<up_to<3>>("multi_steal", headers, threes).models)
    both.models.push_back(std::move(m));
  for (model& m : queue_family<two_or_one>("multi_steal", headers, twos_or_ones).models)
    both.models.push_back(std::move(m));
  return both;
}

family steal_half_family() {
  return queue_family<steal_half>("steal_half", {"steal_half.hpp", "batch_stealing.hpp"}, halves);
}

}  // namespace heist_model
