// The programs that run on the sleep protocol.
#include "tests/model/simulate.hpp"

#include "runtime/core/sleeping_place.hpp"
#include "tests/model/relacy.hpp"
#include "tests/model/seam.hpp"
#include "tests/model/sleep_suite.hpp"

namespace heist_model {

namespace {

struct searched_script {
  plan usual;
  unsigned threads;
  sleep_script play;
};

const searched_script scripts[] = {
    {{search::bounded, 3}, 2, {"sleep_push", "p"}},
    {{search::bounded, 3}, 2, {"sleep_outside", "i"}},
    {{search::bounded, 3}, 2, {"sleep_left_request", "l"}},
    {{search::bounded, 3}, 2, {"sleep_visible_push", "v"}},
    {{search::bounded, 2}, 3, {"sleep_mail", "m"}},
    {{search::bounded, 1}, 3, {"sleep_outside_mail", "im"}},
    {{search::bounded, 1}, 3, {"sleep_reclaim_mail", "pom"}},

    {{search::random}, 2, {"sleep_push_pop_push", "pop", true}},
    {{search::random}, 3, {"sleep_two_items", "pp"}},
    {{search::random}, 3, {"sleep_two_visible_pushes", "vv", false, true}},
    {{search::random}, 3, {"sleep_two_left_requests", "ll", true}},
    {{search::random}, 3, {"sleep_two_items_and_a_pop", "ppop", true}},
    {{search::random}, 3, {"sleep_inside_and_outside", "pi", true, true}},
    {{search::random}, 3, {"sleep_end", "pe", false, true}},
    {{search::random}, 3, {"sleep_mail_and_items", "pimo", true}},
};

outcome run(const searched_script& s, const plan& p) {
  running_sleep_script = &s.play;
  settings.fence_in_publish = true;
  return s.threads == 2 ? simulate<sleep_suite<2>>(p) : simulate<sleep_suite<3>>(p);
}

}  // namespace

family sleeping_family() {
  family f{"sleeping", {"sleepers.hpp", "sleep_suite.hpp"}, {}};
  for (const searched_script& s : scripts)
    f.models.push_back({f.name, s.play.name, s.threads, sleep_model::capacity, s.usual,
                        [&s](const plan& p) { return run(s, p); }});
  return f;
}

// ----
// The programs that run on sleeping places (sleeping_place.hpp): an owner that sleeps twice, and
// wakers that want it to run on another processor.
//
// The mask is a plain variable: the waker takes a processor out, and puts it back. If a waker
// changes it while the owner is awake, or two wakers change it at the same time, this is a data
// race or a failed assertion.

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
