// The programs that run on the bounded ring and on the Chase-Lev deque, with the ring that grows
// under it.
#include "heist/deque/bounded_ring.hpp"

#include "heist/deque/abp.hpp"
#include "heist/deque/chase_lev.hpp"
#include "heist/deque/multi_steal.hpp"
#include "heist/deque/steal_half.hpp"
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

// ---- The programs that run on the ABP deque.

namespace {

using heist::deque::abp_age;

// Two ages are equal if top and tag are equal; for one mutant it is enough that the tops are equal.
struct age_bits {
  std::uint64_t top = 0;
  std::uint64_t tag = 0;

  friend bool operator==(age_bits a, age_bits b) {
    return a.top == b.top && (a.tag == b.tag || is_running(change::tag_not_compared));
  }
  friend std::ostream& operator<<(std::ostream& out, age_bits a) {
    return out << "{top " << a.top << ", tag " << a.tag << '}';
  }
};

class model_age {
 public:
  explicit model_age(abp_age a) : bits_(bits_of(a)) {}

  abp_age load(std::memory_order order, HEIST_MODEL_CALLER) const {
    const site here{file, function, line, operation::load, order};
    return age_of(bits_.load(to_relacy(effective_order(here)), {function, file, line}));
  }

  void store(abp_age a, std::memory_order order, HEIST_MODEL_CALLER) {
    const site here{file, function, line, operation::store, order};
    bits_.store(bits_of(a), to_relacy(effective_order(here)), {function, file, line});
  }

  bool compare_exchange_strong(abp_age& expected, abp_age desired, std::memory_order order,
                               std::memory_order failure, HEIST_MODEL_CALLER) {
    const site here{file, function, line, operation::exchange, order};
    age_bits seen = bits_of(expected);
    const bool done =
        bits_.compare_exchange_strong(seen, bits_of(desired), to_relacy(effective_order(here)),
                                      {function, file, line}, to_relacy(failure), {});
    if (!done) expected = age_of(seen);
    return done;
  }

 private:
  static age_bits bits_of(abp_age a) { return {a.top(), a.tag()}; }
  static abp_age age_of(age_bits a) { return {static_cast<std::uint32_t>(a.top), a.tag}; }

  rl::atomic<age_bits> bits_;
};

struct abp_atomics : model_atomics {
  template <class T>
  using atomic = std::conditional_t<std::is_same_v<T, abp_age>, model_age, model_atomic<T>>;
};

using deque = heist::deque::abp<queue_item, abp_atomics>;

// Letters: see queue_script.
const searched_queue_script scripts[] = {
    {{search::exhaustive}, {"abp_push_steal", 2, {"p", "s", ""}}},
    {{search::exhaustive}, {"abp_last_item", 2, {"po", "s", ""}}},
    // A thief that stopped before its exchange meets the next item at the same position.
    {{search::bounded, 3}, {"abp_restart", 2, {"pop", "s", ""}}},
    {{search::bounded, 3}, {"abp_restart_stolen", 2, {"popp", "ss", ""}}},
    {{search::bounded, 3}, {"abp_found_empty", 2, {"ppo", "ss", "s"}}},
    {{search::bounded, 3}, {"abp_two_items", 2, {"ppoo", "ss", ""}}},
    {{search::bounded, 3}, {"abp_two_thieves", 2, {"ppoopp", "s", "s"}}},
    {{search::bounded, 3}, {"abp_known", 2, {"ppn", "k", "s"}}},
    {{search::bounded, 3}, {"abp_full", 2, {"pppoop", "s", "s"}}},

    {{search::random}, {"abp_of_two", 2, {"p????????", "???", "???"}}},
    {{search::random}, {"abp_of_four", 4, {"pp???????????", "????", "???"}, "ppo"}},
};

}  // namespace

family abp_family() { return queue_family<deque>("abp", {"abp.hpp"}, scripts); }

// ---- The programs that run on the deques whose thieves take several items at once.

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
