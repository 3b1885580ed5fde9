// The programs that run on the sleep protocol.
#include "tests/model/simulate.hpp"
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

}  // namespace heist_model
