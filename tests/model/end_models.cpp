// The programs that run on the end of a pipeline (ordered_end.hpp): carriers bring items, and each
// must be taken once, in order.
//
// What the stage does is a plain variable, and so is what a slot holds: if two run the stage at the
// same time, or an item is taken before it lies there, this is a data race or a failed assertion.
#include "tests/model/relacy.hpp"

#include <array>
#include <cstdint>

#include "heist/detail/ordered_end.hpp"
#include "tests/model/seam.hpp"
#include "tests/model/simulate.hpp"

namespace heist_model {

namespace {

// Carrier c brings the items c, c + Carriers, and so on.
template <unsigned Carriers, unsigned Items, unsigned Tokens>
class end_program {
 public:
  end_program() { came_(RL_INFO) = 0; }

  void carry(unsigned from) {
    for (std::uint64_t n = from; n < Items; n += Carriers) {
      // As pipeline_crew::has_room().
      while (n >= turn_.load(std::memory_order_acquire) + Tokens) rl::yield(1, RL_INFO);
      pass(n);
    }
  }
  void check_rest() {
    RL_ASSERT(came_(RL_INFO) == Items);
    RL_ASSERT(turn_.load(std::memory_order_relaxed) == Items);
  }

 private:
  struct item {
    rl::var<std::uint64_t> number;
  };

  void pass(std::uint64_t n) {
    if (end_.has_turn(n)) {
      run_stage(n);
    } else {
      end_[n].number(RL_INFO) = n + 1;
      if (!end_.lay_down(n)) return;
      take(n);
    }
    while (end_.go_on_to(++n)) take(n);
  }
  void take(std::uint64_t n) {
    RL_ASSERT(end_[n].number(RL_INFO) == n + 1);
    end_[n].number(RL_INFO) = 0;
    run_stage(n);
  }
  void run_stage(std::uint64_t n) {
    RL_ASSERT(came_(RL_INFO) == n);
    came_(RL_INFO) = n + 1;
  }

  model_atomic<std::uint64_t> turn_{0};
  using end = heist::detail::ordered_end<item, model_atomics>;
  std::array<typename end::slot, Tokens> slots_;
  end end_{slots_.data(), Tokens, turn_};
  rl::var<std::uint64_t> came_;
};

template <unsigned Carriers, unsigned Items, unsigned Tokens>
class end_suite : public rl::test_suite<end_suite<Carriers, Items, Tokens>, Carriers> {
 public:
  void thread(unsigned index) { program_.carry(index); }
  void after() { program_.check_rest(); }

 private:
  end_program<Carriers, Items, Tokens> program_;
};

struct searched {
  const char* name;
  unsigned carriers;
  unsigned tokens;
  plan usual;
  outcome (*run)(const plan&);
};

const searched programs[] = {
    {"end_of_two", 2, 2, {search::exhaustive}, simulate<end_suite<2, 2, 2>>},
    {"end_slots_again", 2, 2, {search::bounded, 4}, simulate<end_suite<2, 4, 2>>},
    {"end_of_three", 3, 4, {search::bounded, 3}, simulate<end_suite<3, 3, 4>>},
};

}  // namespace

family ends_family() {
  family f{"ends", {"ordered_end.hpp"}, {}};
  for (const searched& s : programs)
    f.models.push_back({f.name, s.name, s.carriers, s.tokens, s.usual, s.run});
  return f;
}

}  // namespace heist_model
