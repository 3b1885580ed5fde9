// Right programs in the shapes of the wrong ones: the sentences must not hit them.
#include "prelude.hpp"

void right(heist::pool& p, std::vector<int>& v, std::list<int>& l, std::vector<long>& out) {
  using std::chrono::seconds;
  const heist::deadline soon{seconds(1)};
  heist::parallel_for(0, 10, [](int) {});
  heist::parallel_for(
      0, v.size(), [](std::size_t) {}, heist::dynamic{64});
  heist::parallel_for(p, 0, 10, [n = 0](long) mutable { ++n; });
  heist::parallel_for(p, soon, v, [](int&) {});
  heist::parallel_for(heist::block<2>{{0, 0}, {3, 3}}, [](std::size_t, std::size_t) {});
  heist::parallel_for(heist::block<2>{{0, 0}, {3, 3}}, [](const heist::block<2>&) {});
  heist::for_each(l, [](int&) {});
  heist::for_each(
      v.begin(), v.end(), [](int) {}, heist::static_blocks{});
  heist::sort(p, v, std::greater<>());
  std::vector<std::unique_ptr<int>> owners(3);
  heist::sort(owners);
  std::vector<bool> bits(3);
  heist::sort(bits);
  std::vector<int> merged(v.size() * 2);
  heist::merge(v, v, merged.begin(), [](int a, int b) { return a < b ? 1 : 0; });
  const bool any = heist::any_of(v, [](int i) { return i; });
  [[maybe_unused]] const long ones =
      heist::count(v, 1) + heist::count_if(p, v, [](long i) { return i == 1; });
  heist::partition(v, [](int i) { return i > 0; });
  heist::copy_if(v, out.begin(), [&](int) { return any; });
  heist::find(p, v.begin(), v.end(), 3L);
  [[maybe_unused]] const int sum = heist::reduce(v, 0, [](int a, int b) { return a + b; });
  [[maybe_unused]] const double wide = heist::reduce(soon, v, 0.5);
  [[maybe_unused]] const std::string text = heist::transform_reduce(
      p, v, std::string(), std::plus<>(), [](int i) { return std::to_string(i); });
  [[maybe_unused]] const long inner = heist::transform_reduce(v, out.begin(), 0L);
  heist::transform(v, out.begin(), [](int i) { return i; });
  heist::transform(v, v.begin(), out.begin(), std::plus<>());
}

void right(heist::pool& p, std::vector<int>& v, std::vector<long>& out) {
  using std::chrono::seconds;
  const heist::deadline soon{seconds(1)};
  heist::inclusive_scan(v, out.begin());
  heist::exclusive_scan(v, out.begin(), 0L, std::plus<>());
  heist::histogram(v, 10, [](int i) { return i; });
  heist::generate(v, [] { return 1; });
  heist::parallel_for_chunks(
      p, 0, 10, [](int, int) {}, 100);
  heist::reduce_chunks(
      0, 10, 0.5, [](int, int, double s) { return s; }, std::plus<>(), 7);
  heist::scan_chunks(
      0, 10, 0, [](int, int) { return 0; }, std::plus<>(), [](int, int, int) {});
  auto [none, moved] =
      heist::fork_join([] {}, [q = std::make_unique<int>(3)]() mutable { return std::move(q); });
  heist::fork_join(
      soon, [] {}, [] {}, [] {});
  int& same = p.run([&]() -> int& { return v[0]; });
  auto owner = p.submit([q = std::make_unique<int>(3)] { return *q; })
                   .then([](long i) { return std::make_unique<long>(i); })
                   .get();
  heist::submit([] {}).then(soon, [] {}).get();
  p.submit(soon, [&]() -> int& { return same; }).wait();
  heist::blocking([] {});
  heist::with(heist::policy::serial, [] { return 1; });
  heist::scope(p, soon, [&](heist::task_scope& s) {
    s.spawn([q = std::move(owner)] {});
    s.spawn([] { return 3; });
  });
  const int three = heist::scope(heist::spawn_kind::child, [](heist::task_scope&) { return 3; });
  heist::executor(p).execute([three] {});
  heist::task_group group(p);
  group.run([q = std::make_unique<int>(1)] {});
  group.run_and_wait([] { return 3; });
  heist::task_graph g;
  g.add([q = std::make_unique<int>(1)] {}, {.name = "first"});
  g.add([](heist::task_graph::running& r) { r.add([] {}); });
  heist::job_system jobs(p);
  jobs.create_job([](heist::job_system::job) {});
  jobs.parallel_for(0, 10, 3, [](std::size_t, std::size_t) {});
  heist::make_pipeline([]() -> std::optional<int> { return {}; },
                       heist::in_parallel([](int i) { return std::make_unique<int>(i); }),
                       heist::in_order([](std::unique_ptr<int>) {}))
      .run(p);
  heist::make_pipeline([]() -> std::optional<std::any> { return {}; },
                       heist::in_order([](const std::any&) {}))
      .run(p);
  heist::combinable<int> each([] { return 1; });
  each.combine_each([](int& i) { ++i; });
  each.combine(std::plus<>());
  heist::worker_local<int> local(p, [] { return 1; });
  heist::reducer<std::string> strings;
  heist::deque::split<int*> deque(10);
  heist::channel<std::string> channel(3);
  heist::barrier barrier(3, []() noexcept {});
}
