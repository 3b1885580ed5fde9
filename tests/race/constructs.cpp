// Verdicts about constructs: forks, scopes, loops, algorithms, tasks, futures, graphs.
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

// ---- Forks.

PROGRAM("fork: two writes", racy) {
  int x = 0;
  use(x);
  heist::fork_join(
      [&] {
        x = 1;  // (1)
        use(x);
      },  //
      [&] {
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("fork: a write and a read", racy) {
  int x = 0, y = 0;
  use(x);
  use(y);
  heist::fork_join(
      [&] {
        x = 1;  // (1)
        use(x);
      },  //
      [&] {
        y = x;  // (2)
        use(y);
      });
}

PROGRAM("fork: a read and a write", racy) {
  int x = 0, y = 0;
  use(x);
  use(y);
  heist::fork_join(
      [&] {
        y = x;  // (1)
        use(y);
      },  //
      [&] {
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("fork: two reads", clean) {
  int x = 0, y = 0, z = 0;
  use(x);
  heist::fork_join(
      [&] {
        y = x;
        use(y);
      },
      [&] {
        z = x;
        use(z);
      });
}

PROGRAM("fork: neighbours", clean) {
  std::array<int, 2> x{};
  heist::fork_join(
      [&] {
        x[0] = 1;
        use(x);
      },
      [&] {
        x[1] = 2;
        use(x);
      });
}

PROGRAM("fork: before and after", clean) {
  int x = 0;
  use(x);
  heist::fork_join(
      [&] {
        x = 1;
        use(x);
      },
      [] {});
  x = 2;
  use(x);
}

PROGRAM("fork: one after the other", clean) {
  int x = 0;
  heist::fork_join(
      [&] {
        x = 1;
        use(x);
      },
      [] {});
  heist::fork_join([] {},
                   [&] {
                     x = 2;
                     use(x);
                   });
}

PROGRAM("fork: deep against shallow", racy) {
  int x = 0;
  heist::fork_join(
      [&] {
        heist::fork_join([] {},
                         [&] {
                           heist::fork_join([] {},
                                            [&] {
                                              x = 1;  // (1)
                                              use(x);
                                            });
                         });
      },
      [&] {
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("fork: the third of three", racy) {
  int x = 0;
  use(x);
  heist::fork_join(
      [&] {
        x = 1;  // (1)
        use(x);
      },
      [] {},  //
      [&] {
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("fork: results", clean) {
  auto [a, b] = heist::fork_join([] { return std::string(100, 'a'); }, [] { return 3; });
  use(a);
  use(b);
}

int sum_of(const std::vector<int>& v, std::size_t first, std::size_t last) {
  if (last - first < 8) return std::accumulate(v.begin() + long(first), v.begin() + long(last), 0);
  const std::size_t middle = first + (last - first) / 2;
  const auto [a, b] = heist::fork_join([&] { return sum_of(v, first, middle); },
                                       [&] { return sum_of(v, middle, last); });
  return a + b;
}
PROGRAM("fork: a recursive sum", clean) {
  const std::vector<int> v(1000, 1);
  int total = sum_of(v, 0, v.size());
  use(total);
}

void fill(int* first, int* last, int overlap) {
  if (last - first < 8) {
    for (; first != last; ++first) *first = 1;  // (1) (2)
    return;
  }
  int* const middle = first + (last - first) / 2;
  heist::fork_join([=] { fill(first, middle + overlap, 0); }, [=] { fill(middle, last, overlap); });
}
PROGRAM("fork: halves that meet", clean) {
  std::vector<int> v(1000);
  fill(v.data(), v.data() + v.size(), 0);
}
PROGRAM("fork: halves that overlap by one", racy) {
  std::vector<int> v(1000);
  fill(v.data(), v.data() + v.size(), 1);
}

// ---- Scopes.

PROGRAM("scope: child and continuation", racy) {
  heist::scope([&](heist::task_scope& s) {
    int x = 0;
    use(x);
    s.spawn([&] {
      x = 1;  // (1)
      use(x);
    });
    x = 2;  // (2)
    use(x);
    s.sync();
  });
}

PROGRAM("scope: after sync", clean) {
  heist::scope([&](heist::task_scope& s) {
    int x = 0;
    s.spawn([&] {
      x = 1;
      use(x);
    });
    s.sync();
    x = 2;
    use(x);
  });
}

PROGRAM("scope: two children", racy) {
  int x = 0;
  heist::scope([&](heist::task_scope& s) {
    s.spawn([&] {
      x = 1;  // (1)
      use(x);
    });
    s.spawn([&] {
      x = 2;  // (2)
      use(x);
    });
  });
}

PROGRAM("scope: children apart by sync", clean) {
  int x = 0;
  heist::scope([&](heist::task_scope& s) {
    s.spawn([&] {
      x = 1;
      use(x);
    });
    s.sync();
    s.spawn([&] {
      x = 2;
      use(x);
    });
  });
}

PROGRAM("scope: what a nested scope has joined", clean) {
  heist::scope([&](heist::task_scope&) {
    int x = 0;
    heist::scope([&](heist::task_scope& inner) {
      inner.spawn([&] {
        x = 1;
        use(x);
      });
    });
    x = 2;
    use(x);
  });
}

PROGRAM("scope: a child's child into the outer scope", racy) {
  int x = 0;
  heist::scope([&](heist::task_scope& s) {
    s.spawn([&] {
      s.spawn([&] {
        x = 1;  // (1)
        use(x);
      });
    });
    x = 2;  // (2)
    use(x);
  });
}

PROGRAM("scope: a child's child, after the end", clean) {
  int x = 0;
  heist::scope([&](heist::task_scope& s) {
    s.spawn([&] {
      s.spawn([&] {
        x = 1;
        use(x);
      });
    });
  });
  x = 2;
  use(x);
}

PROGRAM("scope: children of spawn_kind::child", racy) {
  int x = 0;
  heist::scope(heist::spawn_kind::child, [&](heist::task_scope& s) {
    s.spawn([&] {
      x = 1;  // (1)
      use(x);
    });
    s.spawn([&] {
      x = 2;  // (2)
      use(x);
    });
  });
}

PROGRAM("scope: a captured loop variable", racy) {
  heist::scope([&](heist::task_scope& s) {
    int last = 0;
    for (int i = 0; i < 3; use(i), ++i)  // (2)
      s.spawn([&i, &last] {
        use(last);
        int seen = i;  // (1)
        use(seen);
      });
    s.sync();
  });
}

PROGRAM("scope: a copied loop variable", clean) {
  std::array<int, 3> to{};
  heist::scope([&](heist::task_scope& s) {
    for (int i = 0; i < 3; ++i) s.spawn([i, &to] { to[std::size_t(i)] = i; });
  });
}

PROGRAM("scope: frames of siblings at one address", clean) {
  heist::scope([&](heist::task_scope& s) {
    for (int i = 0; i < 4; ++i)
      s.spawn([] {
        std::array<int, 100> own;
        own.fill(1);
        use(own);
      });
    std::array<int, 100> mine;
    mine.fill(2);
    use(mine);
  });
}

// ---- Loops.

PROGRAM("loop: one sum", racy) {
  int total = 0;
  heist::parallel_for(0, 10, [&](int i) { total += i; });  // (1) (2)
  use(total);
}

PROGRAM("loop: elements", clean) {
  std::vector<int> v(100);
  heist::parallel_for(0, 100, [&](int i) { v[std::size_t(i)] = i; });
}

PROGRAM("loop: elements of a byte", clean) {
  std::vector<char> v(100);
  heist::parallel_for(0, 100, [&](int i) { v[std::size_t(i)] = char(i); });
}

PROGRAM("loop: a stencil in place", racy) {
  std::vector<int> v(100, 1);
  heist::parallel_for(
      1, 99, [&](int i) { v[std::size_t(i)] = v[std::size_t(i) - 1] + v[std::size_t(i) + 1]; });  // (1) (2)
}

PROGRAM("loop: a stencil with two arrays", clean) {
  std::vector<int> v(100, 1), w(100);
  for (int step = 0; step < 3; ++step) {
    heist::parallel_for(
        1, 99, [&](int i) { w[std::size_t(i)] = v[std::size_t(i) - 1] + v[std::size_t(i) + 1]; });
    std::swap(v, w);
  }
}

PROGRAM("loop: vector<bool>", racy) {
  std::vector<bool> v(100);
  heist::parallel_for(0, 100, [&](int i) { v[std::size_t(i)] = true; });  // (1) (2)
}

PROGRAM("loop: with a step", racy) {
  std::vector<int> v(10);
  heist::parallel_for(0, 10, heist::step{2}, [&](int i) { v[std::size_t(i) / 4] = i; });  // (1) (2)
}

PROGRAM("loop: blocks", racy) {
  std::array<int, 4> column{};
  heist::parallel_for(heist::block<2>{{0, 0}, {4, 4}},
                      [&](std::size_t, std::size_t x) { column[x] = column[x] + 1; });  // (1) (2)
}

PROGRAM("loop: static blocks", racy) {
  int x = 0;
  heist::parallel_for(
      0, 10,
      [&](int i) {
        x = i;  // (1) (2)
        use(x);
      },
      heist::static_blocks{});
}

PROGRAM("loop: in a loop", racy) {
  std::vector<int> v(100);
  heist::parallel_for(
      0, 10, [&](int) { heist::parallel_for(0, 10, [&](int j) { v[std::size_t(j)] = j; }); });  // (1) (2)
}

PROGRAM("loop: chunks", racy) {
  int x = 0;
  heist::parallel_for_chunks(0, 10, [&](int f, int l) {
    x = l - f;  // (1) (2)
    use(x);
  });
}

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
