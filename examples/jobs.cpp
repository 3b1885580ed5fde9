// This program shows two ways to work with objects instead of calls: tasks that know their parent,
// and jobs of a job system. Each adds up the squares of a million numbers.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <heist/heist.hpp>
#include <heist/job_system.hpp>
#include <heist/task.hpp>

namespace {

struct sum_task : heist::task {
  sum_task(std::span<const long long> numbers, long long& result) : v(numbers), sum(result) {}
  void execute() override {
    if (v.size() <= 1000) {
      for (const long long x : v) sum += x * x;
      return;
    }
    long long left_sum = 0;
    long long right_sum = 0;
    sum_task left(v.first(v.size() / 2), left_sum);
    sum_task right(v.subspan(v.size() / 2), right_sum);
    spawn(left);
    spawn(right);
    wait_for_all();
    sum = left_sum + right_sum;
  }
  std::span<const long long> v;
  long long& sum;
};

}  // namespace

int main() {
  std::vector<long long> numbers(1'000'000);
  std::iota(numbers.begin(), numbers.end(), 1);

  long long by_tasks = 0;
  sum_task root(numbers, by_tasks);
  heist::run_task(root);
  std::printf("%lld\n", by_tasks);

  heist::job_system jobs(heist::default_pool());
  heist::combinable<long long> sums;
  const auto all = jobs.create_job([] {});
  for (std::size_t i = 0; i < numbers.size(); i += 1000)
    jobs.run(jobs.create_job_as_child(all, [&sums, part = std::span(numbers).subspan(i, 1000)] {
      for (const long long x : part) sums.local() += x * x;
    }));
  jobs.run(all);
  jobs.wait(all);
  std::printf("%lld\n", sums.combine(std::plus{}));
}
