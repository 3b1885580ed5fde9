// Verdicts about values that the constructs keep on stacks: captures, results and their copies. All
// are clean; the same stack memory is used again by what comes later.
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heist/combinable.hpp"
#include "heist/heist.hpp"
#include "heist/job_system.hpp"
#include "heist/pipeline.hpp"
#include "heist/reducer.hpp"
#include "heist/sync/channel.hpp"
#include "heist/sync/mutex.hpp"
#include "heist/task_graph.hpp"
#include "heist/when_any.hpp"
#include "heist/worker_local.hpp"
#include "tests/race/programs.hpp"

using heist_test::clean;
using heist_test::use;

namespace {

// Too long for the string's own memory.
std::string text(int i) { return std::string(std::size_t(20 + i), char('a' + i % 26)); }

std::vector<std::string> texts() {
  std::vector<std::string> all;
  for (int i = 0; i < 100; ++i) all.push_back(text(i % 30));
  return all;
}

std::string joined(int first, int last) {
  if (last - first == 1) return text(first);
  const int middle = (first + last) / 2;
  auto [a, b] =
      heist::fork_join([=] { return joined(first, middle); }, [=] { return joined(middle, last); });
  return a + b;
}

PROGRAM("values: of forks", clean) {
  auto s = joined(0, 20);
  use(s);
}

heist::future<std::string> later(int i) {
  const std::string s = text(i);
  return heist::submit([s] { return s + s; });
}

PROGRAM("values: of futures", clean) {
  auto a = later(1), b = later(2), c = later(3);
  auto s = a.get() + b.get() + c.get();
  use(s);
}

PROGRAM("values: of futures in a vector", clean) {
  std::vector<heist::future<std::string>> all;
  for (int i = 0; i < 10; ++i) all.push_back(later(i));
  for (auto& each : all) {
    auto s = each.get();
    use(s);
  }
}

PROGRAM("values: of functions after futures", clean) {
  auto a = later(1).then([](std::string s) { return s + "!"; }).then([](const std::string& s) {
    return s.size();
  });
  auto b = later(2).then([](const std::string& s) { return s.size(); });
  auto n = a.get() + b.get();
  use(n);
}

PROGRAM("values: when all are there", clean) {
  auto [a, b] = heist::when_all(later(1), later(2)).get();
  auto s = a + b;
  use(s);
}

PROGRAM("values: when one is there", clean) {
  auto first = heist::when_any(later(1), later(2)).get();
  if (auto* const s = std::get_if<0>(&first)) s->push_back('!');
  use(first);
}

int fib(int n) {
  if (n < 2) return n;
  auto f = heist::submit([n] { return fib(n - 1); });
  const int b = fib(n - 2);
  return f.get() + b;
}

PROGRAM("values: of nested futures", clean) {
  int n = fib(10);
  use(n);
}

void run_one(heist::task_group& in, int i, std::vector<std::string>& out) {
  const std::string s = text(i);
  in.run([&out, i, s] { out[std::size_t(i)] = s + "!"; });
}

PROGRAM("values: captured by tasks of a group", clean) {
  std::vector<std::string> out(20);
  heist::task_group group;
  for (int i = 0; i < 20; ++i) run_one(group, i, out);
  group.wait();
  use(out);
}

void spawn_one(heist::task_scope& in, int i, std::vector<std::string>& out) {
  const std::string s = text(i);
  in.spawn([&out, i, s] { out[std::size_t(i)] = s + "!"; });
}

PROGRAM("values: captured by children of a scope", clean) {
  std::vector<std::string> out(20);
  heist::scope([&](heist::task_scope& s) {
    for (int i = 0; i < 20; ++i) spawn_one(s, i, out);
  });
  use(out);
}

PROGRAM("values: of reductions", clean) {
  const auto all = texts();
  const auto append = [](std::string a, const std::string& b) { return a + b; };
  auto s = heist::reduce(all, std::string(), append);
  s += heist::transform_reduce(all, std::string(), append,
                               [](const std::string& each) { return each + "."; });
  use(s);
}

PROGRAM("values: of sorts and scans", clean) {
  auto all = texts();
  heist::sort(all);
  heist::stable_sort(all, std::greater<>());
  std::vector<std::string> sums(all.size());
  heist::inclusive_scan(all, sums.begin(),
                        [](const std::string& a, const std::string& b) { return a + b; });
  use(sums);
}

PROGRAM("values: in the bodies of nested loops", clean) {
  std::vector<std::vector<std::string>> out(10, std::vector<std::string>(10));
  heist::parallel_for(std::size_t{0}, std::size_t{10}, [&](std::size_t i) {
    std::string row = text(int(i));
    heist::parallel_for(std::size_t{0}, std::size_t{10}, [&, i](std::size_t j) {
      std::string own = row + text(int(j));
      out[i][j] = own + own;
    });
  });
  use(out);
}

PROGRAM("values: of a reducer", clean) {
  heist::reducer<std::string, std::plus<>> all{};
  heist::parallel_for(0, 50, [&](int i) { *all += text(i); });
  auto s = all.get();
  use(s);
}

// More of them than a ring has places.
PROGRAM("values: captured by jobs", clean) {
  for (const auto memory : {heist::job_memory::ring, heist::job_memory::heap}) {
    heist::job_system jobs(heist::default_pool(), memory);
    std::vector<std::size_t> out(5000);
    for (int round = 0; round < 2; ++round) {
      const auto all = jobs.create_job([] {});
      for (std::size_t i = 0; i < out.size(); ++i)
        jobs.run(jobs.create_job_as_child(all, [&out, i] { out[i] += i; }));
      jobs.run(all);
      jobs.wait(all);
    }
    use(out);
  }
}

PROGRAM("values: of a worker_local", clean) {
  heist::pool p;
  heist::worker_local<std::vector<std::string>> all(p);
  heist::parallel_for(p, 0, 50, [&](int i) { all.local().push_back(text(i)); });
  std::size_t n = 0;
  for (const auto& each : all) n += each.size();
  all.clear();
  heist::parallel_for(p, 0, 50, [&](int i) { all.local().push_back(text(i)); });
  use(n);
}

PROGRAM("values: of a combinable", clean) {
  heist::combinable<std::vector<std::string>> all;
  heist::parallel_for(0, 50, [&](int i) { all.local().push_back(text(i)); });
  std::size_t n = 0;
  all.combine_each([&](const auto& each) { n += each.size(); });
  use(n);
}

PROGRAM("values: of the thread", clean) {
  thread_local int last = 0;
  heist::parallel_for(0, 50, [&](int i) {
    last = i;
    use(last);
  });
}

PROGRAM("values: made once", clean) {
  std::once_flag once;
  std::vector<std::string> made;
  heist::parallel_for(0, 50, [&](int i) {
    std::call_once(once, [&] { made = texts(); });
    int n = int(made[std::size_t(i)].size());
    use(n);
  });
}

PROGRAM("values: under a lock", clean) {
  heist::mutex lock;
  std::string all;
  heist::parallel_for(0, 50, [&](int i) {
    const std::string s = text(i);
    const std::lock_guard hold(lock);
    all += s;
  });
  use(all);
}

PROGRAM("values: of a task graph", clean) {
  std::string a, b, c;
  heist::task_graph graph;
  const auto first = graph.add([&] { a = text(1) + "!"; });
  const auto second = graph.add([&] { b = text(2) + "!"; });
  const auto last = graph.add([&] { c = a + b; });
  graph.edge(first, last);
  graph.edge(second, last);
  graph.run();
  use(c);
}

PROGRAM("values: of a channel", clean) {
  heist::channel<std::string> c(2);
  heist::fork_join(
      [&] {
        for (int i = 0; i < 10; ++i) {
          std::string s = text(i);
          if (!c.send(std::move(s))) return;
        }
        c.close();
      },
      [&] {
        std::size_t n = 0;
        while (auto s = c.receive()) n += s->size();
        use(n);
      });
}

}  // namespace
