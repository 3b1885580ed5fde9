// The table of the article on job systems: the cost of a job if its memory comes from malloc and
// deques have locks, if the memory comes from a ring of the thread, and if deques also have no
// locks; and heist::job_system on pools with these deques.
#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// The article's three job systems, in its order.
constexpr std::array<std::string_view, 3> of_the_article = {"the article's: locked, malloc",
                                                            "the article's: locked, ring",
                                                            "the article's: bounded_ring, ring"};
constexpr std::string_view default_pool = "heist::job_system, split";
constexpr std::string_view default_in_run = "heist::job_system, split, in pool::run";
constexpr std::string_view on_its_ring = "heist::job_system, bounded_ring";
constexpr std::string_view with_malloc = "heist::job_system, locked, malloc";

// What the article's table gives: the times of its three job systems, and that of the first one in
// units of the last one's.
struct printed {
  std::array<double, 3> times_ms;
  double in_all;
};

// One problem; the other contestants are compared with the article's first two.
class problem {
 public:
  problem(std::string name, std::size_t jobs, const printed& article)
      : name_(std::move(name)), jobs_(jobs), article_(article) {}

  template <class Turn>
  void add(contest& turns, std::string_view who, const Turn& turn) {
    const auto name = fmt::format("{}, {}", name_, who);
    members_.emplace_back(who, &turns.add(name, [=] { return turn(name); }));
  }

  void append_rows(std::vector<row>& rows) const {
    for (const auto& [who, each] : members_) {
      auto& measures = rows.emplace_back(row{each->name, {}, {}}).measures;
      measures.push_back({"time", "ms", scaled(each->results, 1e3)});
      const auto printed_as = std::find(of_the_article.begin(), of_the_article.end(), who);
      const auto place = static_cast<std::size_t>(printed_as - of_the_article.begin());
      if (place < of_the_article.size())
        measures.push_back({"document", "ms", samples({article_.times_ms[place]})});
      measures.push_back({"a job", "ns", scaled(each->results, 1e9 / static_cast<double>(jobs_))});
      measures.push_back({"lock and malloc to this", "", times_of(of_the_article[0], who)});
      if (place + 1 == of_the_article.size())
        measures.push_back({"document", "", samples({article_.in_all})});
      measures.push_back({"lock and ring to this", "", times_of(of_the_article[1], who)});
    }
  }

  // What is promised of the product, by the article's form on this machine and by its table.
  void append_targets(std::vector<target>& targets) const {
    const auto promise = [&](std::string_view one, std::string_view to, double limit) {
      targets.push_back({fmt::format("{}, {} to {}", name_, one, to), "", bound::at_most, limit,
                         times_of(one, to).median(), ""});
    };
    promise(default_pool, of_the_article[2], 1.1);
    promise(default_in_run, of_the_article[2], 1.1);
    promise(on_its_ring, of_the_article[2], 1.3);
    promise(with_malloc, of_the_article[0], 1.0);
    targets.push_back({fmt::format("{}, lock and malloc to {}", name_, default_pool), "",
                       bound::at_least, article_.in_all,
                       times_of(of_the_article[0], default_pool).median(), ""});
  }

  // How many times as fast as with a lock and malloc the product is, and the article's three, here
  // and in the article.
  [[nodiscard]] report::chart speedups() const {
    report::series here{"measured", report::series_style::bars};
    report::series there{"document", report::series_style::points};
    const std::array<std::string_view, 5> shown = {default_pool, on_its_ring, of_the_article[0],
                                                   of_the_article[1], of_the_article[2]};
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const report::distribution times(times_of(of_the_article[0], shown[i]));
      here.points.push_back({static_cast<double>(i), times.median, times.least, times.greatest});
      if (i >= 2)
        there.points.push_back(
            {static_cast<double>(i), article_.times_ms[0] / article_.times_ms[i - 2]});
    }
    return {
        name_ + ": times as fast as with a lock and malloc",
        {.names = {"heist", "heist, bounded_ring", "lock, malloc", "lock, ring", "no lock, ring"}},
        {.label = "times as fast", .least = 0},
        {here, there}};
  }

 private:
  [[nodiscard]] const samples& of(std::string_view who) const {
    return std::find_if(members_.begin(), members_.end(),
                        [&](const auto& each) { return each.first == who; })
        ->second->results;
  }
  // How many times as long the one takes as the other.
  [[nodiscard]] samples times_of(std::string_view one, std::string_view other) const {
    return ratio(of(one), of(other));
  }

  std::string name_;
  std::size_t jobs_;
  printed article_;
  std::vector<std::pair<std::string, contestant*>> members_;
};

// The jobs are created by a function that pool::run calls.
class in_pool_run : public job_system {
 public:
  explicit in_pool_run(pool& on) : job_system(on), on_(on) {}
  template <class Function>
  auto on_worker(Function&& f) {
    return on_.run(f);
  }

 private:
  pool& on_;
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
  void add(std::string_view who, Arguments&&... arguments) {
    const auto system = std::make_shared<System>(std::forward<Arguments>(arguments)...);
    single_.add(turns_, who, [=, of = of_](const std::string& name) {
      return single_jobs_s(name, *system, of.jobs, of.batch);
    });
    loop_.add(turns_, who, [=, of = of_](const std::string& name) {
      return loop_s(name, *system, of.iterations, of.most);
    });
  }

  void append_to(results& all) const {
    for (const problem* each : {&single_, &loop_}) {
      each->append_rows(all.rows);
      all.charts.push_back(each->speedups());
      each->append_targets(all.targets);
    }
  }

 private:
  contest& turns_;
  const sizes of_;
  problem single_;
  problem loop_;
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
  const auto on = [&](deque_kind kind) -> pool& {
    return pools.emplace_back(pool_config{.workers = workers, .deque = kind});
  };
  all.add<job_system>(default_pool, on(deque_kind::split));
  all.add<in_pool_run>(default_in_run, on(deque_kind::split));
  all.add<job_system>(on_its_ring, on(deque_kind::bounded_ring));
  all.add<in_pool_run>("heist::job_system, bounded_ring, in pool::run",
                       on(deque_kind::bounded_ring));
  all.add<job_system>("heist::job_system, abp", on(deque_kind::abp));
  all.add<job_system>("heist::job_system, locked", on(deque_kind::locked));
  all.add<job_system>(with_malloc, on(deque_kind::locked), job_memory::heap);
  all.add<article::job_threads<deque::locked<item>, from_malloc>>(of_the_article[0], workers);
  all.add<article::job_threads<deque::locked<item>, from_ring>>(of_the_article[1], workers);
  all.add<article::job_threads<deque::bounded_ring<item>, from_ring>>(of_the_article[2], workers);
  all.add<article::job_threads<deque::abp<item>, from_ring>>("the article's: abp, ring", workers);
  turns.play(with);

  results result;
  result.title = fmt::format(
      "{} single jobs, {} to a parent; a loop of {}, {} to a job; {} worker{}; {} rounds",
      values.size("jobs"), values.size("batch"), values.size("iterations"), values.size("most"),
      workers, workers == 1 ? "" : "s", with.repeat);
  all.append_to(result);
  result.source = "S. Reinalter, Job System 2.0, part 3: the table of its section on performance";
  result.notes = {
      "A ratio is the other one's time to this one's",
      "Both take jobs of 128 bytes from a ring of 4096 for each thread. The article's form pushes "
      "each job by itself, and a waiter runs any job; a child costs four locked instructions: the "
      "parent's count up and down, its own count down, and the fence of a pop. Nothing is checked",
      "heist::job_system checks that a name is current, that a job is run once, and that a parent "
      "hasn't ended; keeps exceptions; and a waiter runs nothing but parts of what it waits for. A "
      "child costs two locked instructions: the parent's count up, and the end of the job, which "
      "looks for waiters. Neighbours of a ring lie on the deque as one entry; a parent's count is "
      "lowered once for a run of its children. Jobs from malloc have no neighbours",
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
  return {"jobs", "heist's job system and an article's: locks or none, malloc or a ring", &options,
          &run};
}

}  // namespace heist::bench
