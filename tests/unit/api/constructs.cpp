#include "tests/unit/api/constructs.hpp"

#include <list>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <utility>

#include "heist/heist.hpp"
#include "heist/job_system.hpp"
#include "heist/pipeline.hpp"
#include "heist/sync/latch.hpp"
#include "heist/sync/mutex.hpp"
#include "heist/task.hpp"
#include "heist/task_graph.hpp"
#include "heist/task_group.hpp"

namespace heist_test {
namespace {

// An additional pool for constructs that need one by name.
heist::pool& second_pool() {
  static heist::pool pool({.workers = 2});
  return pool;
}

void forks(const body& f) { heist::fork_join(f, f); }

void four_forks(const body& f) { heist::fork_join(f, f, f, f); }

void spawns(const body& f) {
  heist::scope([&](heist::task_scope& s) {
    for (int i = 0; i < 3; ++i) s.spawn([&f] { f(); });
  });
}

void spawns_of_children(const body& f) {
  heist::scope(heist::spawn_kind::child, [&](heist::task_scope& s) {
    for (int i = 0; i < 3; ++i) s.spawn([&f] { f(); });
  });
}

void loop(const body& f) {
  heist::parallel_for(0, 5, [&](int) { f(); });
}

void loop_by_counter(const body& f) {
  heist::parallel_for(
      0, 5, [&](int) { f(); }, heist::dynamic{});
}

void loop_by_plan(const body& f) {
  heist::semi_static plan(1);
  heist::parallel_for(
      0, 5, [&](int) { f(); }, plan);
}

void loop_that_may_stop(const body& f) {
  const std::stop_source nobody_stops;
  heist::parallel_for(nobody_stops.get_token(), 0, 5, [&](int) { f(); });
}

void loop_over_a_list(const body& f) {
  const std::list<int> three{1, 2, 3};
  heist::for_each(three.begin(), three.end(), [&](int) { f(); });
}

void transformation(const body& f) {
  const std::vector<int> from{1, 2, 3, 4};
  std::vector<int> to(from.size());
  heist::transform(from.begin(), from.end(), to.begin(), [&](int i) { return f(), i; });
}

void reduction(const body& f) {
  const std::vector<int> four{1, 2, 3, 4};
  const auto call = [&](int i) { return f(), i; };
  if (heist::transform_reduce(four.begin(), four.end(), 0, std::plus<>{}, call) != 10) std::abort();
}

void search(const body& f) {
  const std::vector<int> four{1, 2, 3, 4};
  if (heist::any_of(four.begin(), four.end(), [&](int) { return f(), false; })) std::abort();
}

void comparison_in_sort(const body& f) {
  std::vector<int> v{3, 1, 2};
  std::atomic<bool> was_called{false};
  heist::sort(v.begin(), v.end(), [&](int a, int b) {
    if (!was_called.exchange(true)) f();
    return a < b;
  });
}

// 40 elements are more than are sorted in place.
void sort_of_many(const body& f) {
  std::vector<int> v(40);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(i * 7 % 40);
  std::atomic<bool> was_called{false};
  heist::sort(v, [&](int a, int b) {
    if (!was_called.exchange(true)) f();
    return a < b;
  });
}

void merging(const body& f) {
  const std::vector<int> four{1, 2, 3, 4};
  std::vector<int> to(2 * four.size());
  std::atomic<bool> was_called{false};
  heist::merge(four, four, to.begin(), [&](int a, int b) {
    if (!was_called.exchange(true)) f();
    return a < b;
  });
}

void running_sums(const body& f) {
  std::vector<int> four{1, 2, 3, 4};
  std::atomic<bool> was_called{false};
  heist::inclusive_scan(four, four.begin(), [&](int a, int b) {
    if (!was_called.exchange(true)) f();
    return a + b;
  });
}

void extremes(const body& f) {
  const std::vector<int> four{1, 2, 3, 4};
  std::atomic<bool> was_called{false};
  heist::minmax_element(four, [&](int a, int b) {
    if (!was_called.exchange(true)) f();
    return a < b;
  });
}

void selection(const body& f) {
  const std::vector<int> four{1, 2, 3, 4};
  std::vector<int> to(four.size());
  heist::copy_if(four, to.begin(), [&](int i) { return f(), i % 2 == 0; });
}

void partition(const body& f) {
  std::vector<std::string> four{"1", "2", "3", "4"};
  heist::partition(four, [&](const std::string& s) { return f(), s > "2"; });
}

void histogram(const body& f) {
  const std::vector<int> four{1, 2, 3, 4};
  heist::histogram(four, 5, [&](int i) { return f(), i; });
}

void generation(const body& f) {
  std::vector<int> four(4);
  heist::generate(four, [&] { return f(), 1; });
}

void futures(const body& f) {
  auto a = heist::submit([&f] { f(); });
  std::exception_ptr thrown;
  try {
    heist::submit([&f] { f(); }).get();
  } catch (...) {
    thrown = std::current_exception();
  }
  a.get();
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

void continuation(const body& f) {
  heist::submit([] { return 1; }).then([&f](int) { f(); }).get();
}

void pipeline(const body& f) {
  int left = 3;
  const auto source = [&]() -> std::optional<int> {
    if (left == 0) return std::nullopt;
    return left--;
  };
  heist::make_pipeline(source, heist::in_parallel([&](int i) { return f(), i; }),
                       heist::in_order([&](int) { f(); }))
      .run({.tokens = 2});
}

void graph(const body& f) {
  heist::task_graph g;
  const auto first = g.add([&f] { f(); });
  const auto second = g.add([&f] { f(); });
  g.edge(first, second);
  g.edge(first, g.add([&f] { f(); }));
  g.run();
}

void growing_graph(const body& f) {
  heist::task_graph g;
  g.add([&f](heist::task_graph::running& run) {
    run.add([&f] { f(); });
    f();
  });
  g.run();
}

void other_pool(const body& f) { second_pool().run(f); }

void certain_worker(const body& f) { second_pool().run_on(1, f); }

void fork_under_a_mutex(const body& f) {
  heist::mutex m;
  const std::lock_guard hold(m);
  heist::fork_join(f, f);
}

void latch_between_forks(const body& f) {
  heist::latch both(2);
  const auto one = [&] {
    f();
    both.count_down();
  };
  heist::fork_join(one, one);
  both.wait();
}

void blocking(const body& f) { heist::blocking(f); }

class calling_task final : public heist::task {
 public:
  calling_task(const body& f, int children) : f_(f), children_(children) {}
  void execute() override {
    for (; children_ > 0; --children_) spawn(std::make_unique<calling_task>(f_, 0));
    f_();
    wait_for_all();
  }

 private:
  const body& f_;
  int children_;
};

void tasks(const body& f) {
  calling_task root(f, 2);
  heist::run_task(root);
}

void jobs(const body& f) {
  heist::job_system system(second_pool(), 16);
  const auto parent = system.create_job([&f] { f(); });
  system.run(system.create_job_as_child(parent, [&f] { f(); }));
  system.run(parent);
  system.wait(parent);
}

void jobs_on_the_heap(const body& f) {
  heist::job_system system(second_pool(), heist::job_memory::heap);
  const auto parent = system.create_job([&f] { f(); });
  const auto run_parent = [&] {
    system.run(parent);
    system.wait(parent);
  };
  try {
    system.run(system.create_job_as_child(parent, [&f] { f(); }));
  } catch (const std::bad_alloc&) {
    run_parent();  // or else nobody frees it
    throw;
  }
  run_parent();
}

void group(const body& f) {
  heist::task_group g(second_pool());
  g.run([&f] { f(); });
  g.run_and_wait([&] {
    g.run([&f] { f(); });
    f();
  });
}

void serially(const body& f) {
  heist::with(heist::policy::serial, [&] { heist::fork_join(f, f); });
}

void keeping_the_thread(const body& f) {
  heist::with(heist::policy::stalling, [&] { heist::fork_join(f, f); });
}

void reducer(const body& f) {
  heist::reducer<std::string> text;
  heist::parallel_for(0, 3, [&](int i) {
    *text += static_cast<char>('a' + i);
    f();
  });
  if (text.get() != "abc") std::abort();
}

}  // namespace

const std::vector<construct>& all_constructs() {
  static const std::vector<construct> all{{"forks", 2, &forks},
                                          {"four_forks", 4, &four_forks},
                                          {"spawns", 3, &spawns},
                                          {"spawns_of_children", 3, &spawns_of_children},
                                          {"loop", 5, &loop},
                                          {"loop_by_counter", 5, &loop_by_counter},
                                          {"loop_by_plan", 5, &loop_by_plan},
                                          {"loop_that_may_stop", 5, &loop_that_may_stop},
                                          {"loop_over_a_list", 3, &loop_over_a_list},
                                          {"transformation", 4, &transformation},
                                          {"reduction", 4, &reduction},
                                          {"search", 4, &search},
                                          {"comparison_in_sort", 1, &comparison_in_sort},
                                          {"sort_of_many", 1, &sort_of_many},
                                          {"merging", 1, &merging},
                                          {"running_sums", 1, &running_sums},
                                          {"extremes", 1, &extremes},
                                          {"selection", 4, &selection},
                                          {"partition", 4, &partition},
                                          {"histogram", 4, &histogram},
                                          {"generation", 4, &generation},
                                          {"futures", 2, &futures},
                                          {"continuation", 1, &continuation},
                                          {"pipeline", 6, &pipeline},
                                          {"graph", 3, &graph},
                                          {"growing_graph", 2, &growing_graph},
                                          {"other_pool", 1, &other_pool},
                                          {"certain_worker", 1, &certain_worker},
                                          {"fork_under_a_mutex", 2, &fork_under_a_mutex},
                                          {"latch_between_forks", 2, &latch_between_forks},
                                          {"blocking", 1, &blocking},
                                          {"tasks", 3, &tasks},
                                          {"jobs", 2, &jobs},
                                          {"jobs_on_the_heap", 2, &jobs_on_the_heap},
                                          {"group", 3, &group},
                                          {"serially", 2, &serially},
                                          {"keeping_the_thread", 2, &keeping_the_thread},
                                          {"reducer", 3, &reducer}};
  return all;
}

}  // namespace heist_test
