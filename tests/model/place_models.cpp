// The programs that run on sleeping places (sleeping_place.hpp): an owner that sleeps twice, and
// wakers that want it to run on another processor.
//
// The mask is a plain variable: the waker takes a processor out, and puts it back. If a waker
// changes it while the owner is awake, or two wakers change it at the same time, this is a data
// race or a failed assertion.
#include "tests/model/relacy.hpp"

#include "runtime/core/sleeping_place.hpp"
#include "tests/model/seam.hpp"
#include "tests/model/simulate.hpp"

namespace heist_model {

namespace {

struct model_yielding : model_atomics {
  static void yield() { rl::yield(1, RL_INFO); }
};

class place_model {
 public:
  place_model() { forbidden_(RL_INFO) = none; }

  void run_owner() {
    for (int i = 0; i < 2; ++i) {
      place_.enter();
      place_.leave();
      RL_ASSERT(forbidden_(RL_INFO) == none);  // M2
      forbidden_(RL_INFO) = none;              // the user's own write, while the worker is awake
    }
  }

  void run_waker(int cpu) {
    for (int i = 0; i < 2; ++i) {
      if (!place_.begin_move()) continue;
      RL_ASSERT(forbidden_(RL_INFO) == none);
      forbidden_(RL_INFO) = cpu;
      forbidden_(RL_INFO) = none;
      place_.end_move();
      return;
    }
  }

 private:
  static constexpr int none = -1;

  heist::detail::basic_sleeping_place<model_yielding> place_;
  rl::var<int> forbidden_;
};

template <rl::thread_id_t Threads>
class place_suite : public rl::test_suite<place_suite<Threads>, Threads> {
 public:
  void thread(unsigned index) {
    if (index == 0)
      model_.run_owner();
    else
      model_.run_waker(static_cast<int>(index));
  }

 private:
  place_model model_;
};

struct searched {
  const char* name;
  unsigned threads;
  plan usual;
  outcome (*run)(const plan&);
};

const searched programs[] = {
    {"place_one_waker", 2, {search::bounded, 4}, simulate<place_suite<2>>},
    {"place_two_wakers", 3, {search::bounded, 3}, simulate<place_suite<3>>},
};

}  // namespace

family placing_family() {
  family f{"placing", {"sleeping_place.hpp"}, {}};
  for (const searched& s : programs)
    f.models.push_back({f.name, s.name, s.threads, 1, s.usual, s.run});
  return f;
}

}  // namespace heist_model
