// The table of the article on job systems: the cost of a job if its memory comes from malloc and
// deques have locks, if the memory comes from a ring of the thread, and if deques also have no
// locks; and heist::job_system on pools with these deques.
#include <array>
#include <deque>
#include <memory>

#include <fmt/format.h>

#include <heist/deque/abp.hpp>
#include <heist/deque/bounded_ring.hpp>
#include <heist/deque/locked.hpp>
#include <heist/job_system.hpp>

#include "bench/jobs/article.hpp"
#include "bench/jobs/measure.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("jobs", "single jobs", quick ? 3000 : 65'000, 1, 1'000'000'000),
          integer_option("batch", "single jobs with one parent", 1024, 1, 4000),
          integer_option("iterations", "of the loop", quick ? 5000 : 1 << 21, 1, 1'000'000'000),
          integer_option("most", "iterations of a job", 32, 1, 1'000'000)};
}

struct sizes {
  std::size_t jobs;
  std::size_t batch;
  std::size_t iterations;
  std::size_t most;
};

// The place of the article's form with ring and lock-free deque among the contestants.
constexpr std::size_t article_without_locks = 2;
constexpr double to_article_limit = 1.2;
constexpr double lock_and_malloc_limit = 6;

// What the article's table gives: the times of its three job systems, and that of the first one in
// units of the last one's.
struct printed {
  std::array<double, 3> times_ms;
  double in_all;
};

// One problem; the other contestants are compared with the first two.
class problem {
 public:
  problem(std::string name, std::size_t jobs, const printed& article)
      : name_(std::move(name)), jobs_(jobs), article_(article) {}

  template <class Turn>
  void add(contest& turns, const std::string& who, const Turn& turn) {
    const auto name = fmt::format("{}, {}", name_, who);
    members_.push_back(&turns.add(name, [=] { return turn(name); }));
  }

  [[nodiscard]] std::size_t size() const { return members_.size(); }
  // How many times as long the one takes as the other.
  [[nodiscard]] double ratio_of(std::size_t one, std::size_t to) const {
    return ratio(members_[one]->results, members_[to]->results).median();
  }
  // How many times as long the other contestant takes.
  [[nodiscard]] samples times_of(std::size_t which, const contestant& by) const {
    return ratio(members_[which]->results, by.results);
  }

  void append_rows(std::vector<row>& rows) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const contestant& each = *members_[i];
      auto& measures = rows.emplace_back(row{each.name, {}, {}}).measures;
      measures.push_back({"time", "ms", scaled(each.results, 1e3)});
      if (i < article_.times_ms.size())
        measures.push_back({"document", "ms", samples({article_.times_ms[i]})});
      measures.push_back({"a job", "ns", scaled(each.results, 1e9 / static_cast<double>(jobs_))});
      measures.push_back({"lock and malloc to this", "", times_of(0, each)});
      if (i + 1 == article_.times_ms.size())
        measures.push_back({"document", "", samples({article_.in_all})});
      measures.push_back({"lock and ring to this", "", times_of(1, each)});
    }
  }

  // How many times as fast as the first one the article's three are, here and in the article.
  [[nodiscard]] report::chart speedups() const {
    report::series here{"measured", report::series_style::bars};
    report::series there{"document", report::series_style::points};
    for (std::size_t i = 0; i < article_.times_ms.size(); ++i) {
      const report::distribution times(times_of(0, *members_[i]));
      here.points.push_back({static_cast<double>(i), times.median, times.least, times.greatest});
      there.points.push_back({static_cast<double>(i), article_.times_ms[0] / article_.times_ms[i]});
    }
    return {name_ + ": times as fast as with a lock and malloc",
            {.names = {"lock, malloc", "lock, thread-local ring", "no lock, thread-local ring"}},
            {.label = "times as fast", .least = 0},
            {here, there}};
  }

 private:
  std::string name_;
  std::size_t jobs_;
  printed article_;
  std::vector<contestant*> members_;
};

// The number of leaves of a loop that is halved until each part has at most `most` iterations.
std::size_t jobs_of_loop(std::size_t iterations, std::size_t most) {
  if (iterations <= most) return 1;
  return jobs_of_loop(iterations / 2, most) + jobs_of_loop(iterations - iterations / 2, most);
}

class table {
 public:
  table(contest& turns, const sizes& of)
      : turns_(turns),
        of_(of),
        single_("single jobs", of.jobs, {{18.5, 9.9, 2.93}, 6.31}),
        loop_("parallel_for", jobs_of_loop(of.iterations, of.most), {{5.3, 1.35, 0.76}, 6.97}) {}

  // System(arguments...)
  template <class System, class... Arguments>
  void add(const std::string& who, Arguments&&... arguments) {
    const auto system = std::make_shared<System>(std::forward<Arguments>(arguments)...);
    single_.add(turns_, who, [=, of = of_](const std::string& name) {
      return single_jobs_s(name, *system, of.jobs, of.batch);
    });
    loop_.add(turns_, who, [=, of = of_](const std::string& name) {
      return loop_s(name, *system, of.iterations, of.most);
    });
  }
  // The one that was added last is the one for which something is promised.
  void promise_for_last() { ours_ = single_.size() - 1; }

  void append_to(results& all) const {
    single_.append_rows(all.rows);
    loop_.append_rows(all.rows);
    all.charts = {single_.speedups(), loop_.speedups()};
    all.targets.push_back({"single jobs, heist::job_system on split deques to the article's form",
                           "", bound::at_most, to_article_limit,
                           single_.ratio_of(ours_, article_without_locks), ""});
    all.targets.push_back({"single jobs, lock and malloc to heist::job_system on split deques", "",
                           bound::at_least, lock_and_malloc_limit, single_.ratio_of(0, ours_), ""});
  }

 private:
  contest& turns_;
  const sizes of_;
  problem single_;
  problem loop_;
  std::size_t ours_ = 0;
};

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = workers_of(with);
  std::deque<whole_pool> pools;  // these outlive the job systems in `turns`
  contest turns;
  table all(turns, {values.size("jobs"), values.size("batch"), values.size("iterations"),
                    values.size("most")});
  using article::from_malloc;
  using article::from_ring;
  using item = article::job*;
  all.add<article::job_threads<deque::locked<item>, from_malloc>>("locked, malloc", workers);
  all.add<article::job_threads<deque::locked<item>, from_ring>>("locked, thread-local", workers);
  all.add<article::job_threads<deque::bounded_ring<item>, from_ring>>("bounded_ring, thread-local",
                                                                      workers);
  all.add<article::job_threads<deque::abp<item>, from_ring>>("abp, thread-local", workers);
  for (const deque_kind kind :
       {deque_kind::locked, deque_kind::bounded_ring, deque_kind::abp, deque_kind::split})
    all.add<job_system>(fmt::format("heist::job_system, {}", to_string(kind)),
                        pools.emplace_back(pool_config{.workers = workers, .deque = kind}));
  all.promise_for_last();  // split
  all.add<job_system>(
      "heist::job_system, locked, malloc",
      pools.emplace_back(pool_config{.workers = workers, .deque = deque_kind::locked}),
      job_memory::heap);
  turns.play(with);

  results result;
  result.title = fmt::format(
      "{} single jobs, {} to a parent; a loop of {}, {} to a job; {} worker{}; {} rounds",
      values.size("jobs"), values.size("batch"), values.size("iterations"), values.size("most"),
      workers, workers == 1 ? "" : "s", with.repeat);
  all.append_to(result);
  result.source = "S. Reinalter, Job System 2.0, part 3: the table of its section on performance";
  result.notes = {
      "The first four of each are the article's job system; a ratio is the other one's time to "
      "this one's",
      "Both take jobs of 128 bytes from a ring of 4096 for each thread. The article's form pushes "
      "each job by itself, and a waiter runs any job; a child costs four locked instructions: the "
      "parent's count up and down, its own count down, and the fence of a pop. Nothing is checked",
      "heist::job_system checks that a name is current, that a job is run once, and that a parent "
      "hasn't ended; keeps exceptions; and a waiter runs nothing but parts of what it waits for. A "
      "child costs two locked instructions: the parent's count up, and the end of the job, which "
      "looks for waiters. Neighbours of a ring lie on the deque as one entry; a parent's count is "
      "lowered once for a run of its children",
      "The article's thread that calls is one of its threads; heist's is a worker of the pool. "
      "Where "
      "a second thread wakes late, it takes no part in a turn, on either side",
      "The article does not say how many jobs it ran, on how many threads, nor on which machine: "
      "its ratios can be compared with these, its times hardly",
      "glibc's malloc has a cache for each thread and seldom takes a lock of its own"};
  return result;
}

}  // namespace

benchmark jobs_benchmark() {
  return {"jobs", "job systems: locks or none, malloc or a ring of the thread", &options, &run};
}

}  // namespace heist::bench
