// Jobs that do nothing but mark a place in memory: all of them are children of one scope, and what
// is measured is what it costs to make a job, to run it and to wait for all. The number of jobs is
// that of the article.
//
// S. Reinalter, Job System 2.0: Lock-Free Work Stealing, parts 1 and 3 (Molecular Matters, 2015).
#include <vector>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

class empty_jobs_instance final : public instance {
 public:
  empty_jobs_instance(std::size_t jobs, std::uint32_t rounds) : rounds_(rounds), marks_(jobs) {}

  void reset() override { std::fill(marks_.begin(), marks_.end(), 0U); }

  // Without a runtime, the jobs are calls that the compiler inlines.
  void run_serial() override { run_rounds(serially{}); }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) { run_rounds(fork); });
  }

  std::string result() const override {
    return fmt::format("{} jobs, {} times", marks_.size(), rounds_);
  }
  std::uint64_t checksum() const override {
    return ordered_hash(std::span<const std::uint32_t>(marks_));
  }

  // Every job has marked its own place, exactly once in each round.
  std::optional<std::string> mistake() const override {
    for (std::size_t i = 0; i < marks_.size(); ++i)
      if (marks_[i] != rounds_)
        return fmt::format("job {} ran {} times in {} rounds", i, marks_[i], rounds_);
    return std::nullopt;
  }

  work_count work() const override {
    return {static_cast<double>(marks_.size()) * rounds_, "jobs"};
  }

 private:
  template <class Fork>
  void run_rounds(Fork fork) {
    for (std::uint32_t round = 0; round < rounds_; ++round)
      fork.scope([this](auto&& spawn) {
        for (auto& mark : marks_) spawn([&mark] { ++mark; });
      });
  }

  std::uint32_t rounds_;
  std::vector<std::uint32_t> marks_;
};

class empty_jobs_workload final : public workload {
 public:
  std::string_view name() const override { return "empty_jobs"; }
  std::string_view summary() const override {
    return "spawns jobs that do nothing but mark a place in memory";
  }
  profile describe() const override {
    return {.shape = "one scope with many children",
            .stresses = "the cost of a job: to make it, run it and wait for it",
            .source = "Reinalter 2015, Job System 2.0, parts 1 and 3"};
  }
  std::vector<option_spec> options() const override {
    return {integer_option("jobs", "spawned in each round", 65'000, 0, 1 << 28),
            integer_option("rounds", "how often all are spawned", 20, 0, 1'000'000'000)};
  }

  // What a runtime keeps of a job until it has run is some 200 bytes at most.
  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto jobs = values.size("jobs");
    constexpr std::uint64_t bytes_of_a_job = sizeof(std::uint32_t) + 200;
    require_memory(fmt::format("empty_jobs --jobs {}", jobs),
                   saturating_product(jobs, bytes_of_a_job));
    return std::make_unique<empty_jobs_instance>(jobs,
                                                 static_cast<std::uint32_t>(values.size("rounds")));
  }
};

}  // namespace

std::unique_ptr<const workload> make_empty_jobs() {
  return std::make_unique<empty_jobs_workload>();
}

}  // namespace heist::workloads
