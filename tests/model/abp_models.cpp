// The programs that run on the ABP deque.
#include "heist/deque/abp.hpp"
#include "tests/model/queue_suite.hpp"

namespace heist_model {

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

}  // namespace heist_model
