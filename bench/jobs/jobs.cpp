// The table of the article on job systems: the cost of a job if its memory comes from malloc and
// deques have locks, if the memory comes from a ring of the thread, and if deques also have no
// locks; and heist::job_system on pools with these deques.
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
  return {integer_option("jobs", "single jobs", quick ? 3000 : 1 << 20, 1, 1'000'000'000),
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

// One problem; the other contestants are compared with the first two.
class problem {
 public:
  problem(std::string name, std::size_t jobs) : name_(std::move(name)), jobs_(jobs) {}

  template <class Turn>
  void add(contest& turns, const std::string& who, const Turn& turn) {
    const auto name = fmt::format("{}, {}", name_, who);
    members_.push_back(&turns.add(name, [=] { return turn(name); }));
  }

  // How many times as long the other contestant takes.
  [[nodiscard]] samples times_of(std::size_t which, const contestant& by) const {
    return ratio(members_[which]->results, by.results);
  }

  void append_rows(std::vector<row>& rows) const {
    for (const contestant* each : members_)
      rows.push_back({each->name,
                      {{"time", "ms", scaled(each->results, 1e3)},
                       {"a job", "ns", scaled(each->results, 1e9 / static_cast<double>(jobs_))},
                       {"lock and malloc to this", "", times_of(0, *each)},
                       {"lock and ring to this", "", times_of(1, *each)}},
                      {}});
  }

 private:
  std::string name_;
  std::size_t jobs_;
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
        single_("single jobs", of.jobs),
        loop_("parallel_for", jobs_of_loop(of.iterations, of.most)) {}

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

  void append_rows(std::vector<row>& rows) const {
    single_.append_rows(rows);
    loop_.append_rows(rows);
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
  all.add<article::job_threads<deque::locked<item>, from_malloc>>("locked, malloc", workers);
  all.add<article::job_threads<deque::locked<item>, from_ring>>("locked, thread-local", workers);
  all.add<article::job_threads<deque::bounded_ring<item>, from_ring>>("bounded_ring, thread-local",
                                                                      workers);
  all.add<article::job_threads<deque::abp<item>, from_ring>>("abp, thread-local", workers);
  for (const deque_kind kind :
       {deque_kind::locked, deque_kind::bounded_ring, deque_kind::abp, deque_kind::split})
    all.add<job_system>(fmt::format("heist::job_system, {}", to_string(kind)),
                        pools.emplace_back(pool_config{.workers = workers, .deque = kind}));
  turns.play(with);

  results result;
  result.title = fmt::format(
      "{} single jobs, {} to a parent; a loop of {}, {} to a job; {} worker{}; {} rounds",
      values.size("jobs"), values.size("batch"), values.size("iterations"), values.size("most"),
      workers, workers == 1 ? "" : "s", with.repeat);
  all.append_rows(result.rows);
  result.notes = {
      "the first four of each are the article's job system; a ratio is the other one's time to "
      "this one's"};
  return result;
}

}  // namespace

benchmark jobs_benchmark() {
  return {"jobs", "job systems: locks or none, malloc or a ring of the thread", &options, &run};
}

}  // namespace heist::bench
