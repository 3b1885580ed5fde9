// Verdicts about algorithms, tasks, futures, graphs and jobs.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "heist/heist.hpp"
#include "tests/race/programs.hpp"

using heist_test::clean;
using heist_test::racy;
using heist_test::use;

namespace {

// ---- Algorithms.

PROGRAM("for_each: elements", clean) {
  std::vector<int> v(100, 1);
  heist::for_each(v.begin(), v.end(), [](int& x) { x *= 2; });
}

PROGRAM("for_each: a counter", racy) {
  std::vector<int> v(100, 1);
  int seen = 0;
  heist::for_each(v.begin(), v.end(), [&](int) { ++seen; });  // (1) (2)
  use(seen);
}

PROGRAM("transform_reduce: pure", clean) {
  const std::vector<int> v(1000, 1);
  int total =
      heist::transform_reduce(v.begin(), v.end(), 0, std::plus<>(), [](int x) { return x; });
  use(total);
}

PROGRAM("transform_reduce: a counter in the function", racy) {
  const std::vector<int> v(1000, 1);
  int seen = 0;
  int total = heist::transform_reduce(v.begin(), v.end(), 0, std::plus<>(), [&](int x) {
    ++seen;  // (1) (2)
    return x;
  });
  use(total);
}

PROGRAM("transform: elements", clean) {
  const std::vector<int> v(1000, 1);
  std::vector<int> to(1000);
  heist::transform(v.begin(), v.end(), to.begin(), [](int x) { return x + 1; });
}

PROGRAM("inclusive_scan", clean) {
  const std::vector<int> v(3000, 1);
  std::vector<int> to(3000);
  heist::inclusive_scan(v.begin(), v.end(), to.begin(), std::plus<>(), 0);
}

PROGRAM("sort: numbers, strings", clean) {
  std::vector<int> v(5000);
  std::vector<std::string> w(500);
  unsigned x = 1;
  for (int& each : v) each = int(x = x * 1664525 + 1013904223);
  for (std::string& each : w) each = std::to_string(x = x * 1664525 + 1013904223);
  heist::sort(v.begin(), v.end());
  heist::sort(w.begin(), w.end());
}

PROGRAM("copy_if, stable_partition: elements", clean) {
  std::vector<int> v(5000);
  for (int i = 0; i < 5000; ++i) v[std::size_t(i)] = i;
  std::vector<int> odd(5000);
  heist::copy_if(v.begin(), v.end(), odd.begin(), [](int x) { return x % 2 == 1; });
  heist::stable_partition(v.begin(), v.end(), [](int x) { return x % 3 == 0; });
  use(v[1]);
  use(odd[1]);
}

PROGRAM("stable_partition: a predicate that writes for its neighbour", racy) {
  std::vector<int> v(40000), seen(40001);
  for (int i = 0; i < 40000; ++i) v[std::size_t(i)] = i;
  heist::stable_partition(v.begin(), v.end(), [&](int x) {
    const auto at = std::size_t(x);
    if (x == 100) seen[at + 1] = 1;    // (1)
    return x == 101 && seen[at] != 0;  // (2)
  });
}

// ---- Tasks.

PROGRAM("task_group: two tasks", racy) {
  heist::task_group g;
  int x = 0;
  use(x);
  g.run([&] {
    x = 1;  // (1)
    use(x);
  });
  g.run([&] {
    x = 2;  // (2)
    use(x);
  });
  g.wait();
}

PROGRAM("task_group: after wait", clean) {
  heist::task_group g;
  int x = 0;
  g.run([&] {
    x = 1;
    use(x);
  });
  g.wait();
  x = 2;
  use(x);
}

PROGRAM("task_group: before wait", racy) {
  heist::task_group g;
  int x = 0;
  g.run([&] {
    x = 1;  // (1)
    use(x);
  });
  x = 2;  // (2)
  use(x);
  g.wait();
}

PROGRAM("task_group: the wrong one", racy) {
  heist::task_group g, h;
  int x = 0;
  g.run([&] {
    x = 1;  // (1)
    use(x);
  });
  h.run_and_wait([] {});
  x = 2;  // (2)
  use(x);
  g.wait();
}

struct writing_task final : heist::task {
  explicit writing_task(int& t) : to(t) {}
  void execute() override {
    to = 1;  // (1)
    use(to);
  }
  int& to;
};
struct root_task final : heist::task {
  explicit root_task(bool w) : waits(w) {}
  void execute() override {
    writing_task one(x);
    spawn(one);
    if (waits) wait_for_all();
    x = 2;  // (2)
    use(x);
    wait_for_all();
  }
  int x = 0;
  bool waits;
};
PROGRAM("task objects: without a wait", racy) {
  root_task t(false);
  heist::run_task(t);
}
PROGRAM("task objects: after a wait", clean) {
  root_task t(true);
  heist::run_task(t);
}

PROGRAM("futures: before get", racy) {
  int x = 0;
  use(x);
  auto f = heist::submit([&] {
    x = 1;  // (1)
    use(x);
  });
  x = 2;  // (2)
  use(x);
  f.get();
}

PROGRAM("futures: after get", clean) {
  int x = 0;
  auto f = heist::submit([&] {
    x = 1;
    use(x);
  });
  f.get();
  x = 2;
  use(x);
}

PROGRAM("futures: the wrong one", racy) {
  int x = 0;
  auto f = heist::submit([&] {
    x = 1;  // (1)
    use(x);
  });
  auto g = heist::submit([] {});
  g.get();
  x = 2;  // (2)
  use(x);
  f.get();
}

PROGRAM("futures: then", clean) {
  int x = 0;
  auto f = heist::submit([&] {
             x = 1;
             use(x);
           }).then([&] {
    x = 2;
    use(x);
  });
  f.get();
  x = 3;
  use(x);
}

PROGRAM("futures: beside then", racy) {
  int x = 0;
  auto f = heist::submit([] { return 1; });
  auto g = std::move(f).then([&](int y) {
    x = y;  // (1)
    use(x);
  });
  x = 2;  // (2)
  use(x);
  g.get();
}

PROGRAM("futures: when_all", clean) {
  int x = 0, y = 0;
  auto all = heist::when_all(heist::submit([&] {
                               x = 1;
                               use(x);
                             }),
                             heist::submit([&] {
                               y = 1;
                               use(y);
                             }));
  all.get();
  x = y;
  use(x);
}

PROGRAM("futures: before get of when_all", racy) {
  int x = 0;
  auto all = heist::when_all(heist::submit([&] {
                               x = 1;  // (1)
                               use(x);
                             }),
                             heist::submit([] {}));
  x = 2;  // (2)
  use(x);
  all.get();
}

PROGRAM("graph: a chain", clean) {
  int x = 0;
  heist::task_graph g;
  const auto a = g.add([&] {
    x = 1;
    use(x);
  });
  const auto b = g.add([&] {
    x = 2;
    use(x);
  });
  g.edge(a, b);
  g.run();
  x = 3;
  use(x);
}

PROGRAM("graph: no edge", racy) {
  int x = 0;
  heist::task_graph g;
  g.add([&] {
    x = 1;  // (1)
    use(x);
  });
  g.add([&] {
    x = 2;  // (2)
    use(x);
  });
  g.run();
}

PROGRAM("graph: a diamond", clean) {
  int x = 0, y = 0, z = 0;
  heist::task_graph g;
  const auto top = g.add([&] {
    x = 1;
    use(x);
  });
  const auto left = g.add([&] {
    y = x;
    use(y);
  });
  const auto right = g.add([&] {
    z = x;
    use(z);
  });
  const auto bottom = g.add([&] {
    x = y + z;
    use(x);
  });
  g.edge(top, left);
  g.edge(top, right);
  g.edge(left, bottom);
  g.edge(right, bottom);
  g.run();
}

PROGRAM("jobs: before the wait", racy) {
  heist::pool p;
  heist::job_system jobs(p);
  int x = 0;
  const auto j = jobs.create_job([&x] {
    x = 1;  // (1)
    use(x);
  });
  jobs.run(j);
  x = 2;  // (2)
  use(x);
  jobs.wait(j);
}

PROGRAM("jobs: after the wait, with a child", clean) {
  heist::pool p;
  heist::job_system jobs(p);
  int x = 0;
  auto* const system = &jobs;
  const auto j = jobs.create_job([&x, system](heist::job_system::job self) {
    system->run(system->create_job_as_child(self, [&x] {
      x = 1;
      use(x);
    }));
  });
  jobs.run(j);
  jobs.wait(j);
  x = 2;
  use(x);
}

PROGRAM("pool::run", clean) {
  heist::pool p;
  int x = 0;
  p.run([&] {
    x = 1;
    use(x);
  });
  x = 2;
  use(x);
}

}  // namespace
