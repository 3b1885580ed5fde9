// A loop over many elements with a trivial update of each, in parts of at most so many elements
// that one part is worth a job. A construct that takes a grain cuts the loop in halves down to it;
// those that choose their parts themselves, such as heist's loops, ignore it.
//
// S. Reinalter, Job System 2.0: Lock-Free Work Stealing, part 4: parallel_for (Molecular Matters,
// 2015): particles are updated in parts of at most 256.
#include <vector>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

struct moving_point {
  std::uint32_t updates;
  std::uint32_t speed;
  std::uint64_t place;
};

class job_loop_instance final : public instance {
 public:
  job_loop_instance(std::size_t elements, std::size_t part, std::uint32_t rounds)
      : part_(part), rounds_(rounds), points_(elements) {}

  void reset() override {
    for (std::size_t i = 0; i < points_.size(); ++i) points_[i] = start_of(i);
  }
  void run_serial() override { update(serially{}); }
  void run_with(const execution& how) override {
    run_with_loops(how, [&](auto fork) { update(fork); });
  }

  std::string result() const override {
    return fmt::format("{} elements in parts of {}, {} times", points_.size(), part_, rounds_);
  }
  std::uint64_t checksum() const override {
    std::uint64_t hash = points_.size();
    for (const auto& each : points_)
      hash = mixed(hash ^ each.place ^ (std::uint64_t{each.updates} << 32));
    return hash;
  }

  // Every element has been updated exactly once in each round.
  std::optional<std::string> mistake() const override {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto& point = points_[i];
      if (point.updates != rounds_)
        return fmt::format("element {} was updated {} times in {} rounds", i, point.updates,
                           rounds_);
      const auto expected = start_of(i).place + std::uint64_t{rounds_} * point.speed;
      if (point.place != expected)
        return fmt::format("element {} is at {}, not {}", i, point.place, expected);
    }
    return std::nullopt;
  }

  work_count work() const override {
    return {static_cast<double>(points_.size()) * rounds_, "updates"};
  }

 private:
  static moving_point start_of(std::size_t i) {
    const auto random = random_at(1, i);
    return {.updates = 0, .speed = static_cast<std::uint32_t>(random >> 40), .place = random};
  }

  template <class Fork>
  void update(Fork fork) {
    for (std::uint32_t round = 0; round < rounds_; ++round)
      fork.loop(points_.size(), part_, [points = points_.data()](std::size_t i) {
        points[i].place += points[i].speed;
        ++points[i].updates;
      });
  }

  std::size_t part_;
  std::uint32_t rounds_;
  std::vector<moving_point> points_;
};

class job_loop_workload final : public workload {
 public:
  std::string_view name() const override { return "job_loop"; }
  std::string_view summary() const override {
    return "updates many elements a little, in parts of at most so many";
  }
  profile describe() const override {
    return {.shape = "loops in rounds",
            .stresses = "short loops of tiny iterations, and the size of a part",
            .source = "Reinalter 2015, Job System 2.0, part 4",
            .has_only_loops = true};
  }
  std::vector<option_spec> options() const override {
    return {integer_option("elements", "updated in each round", 65'000, 0, std::int64_t{1} << 40),
            integer_option("part", "elements that are not divided further", 256, 1, 1 << 30),
            integer_option("rounds", "how often all are updated", 2000, 0, 1'000'000'000)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto elements = values.size("elements");
    require_memory(fmt::format("job_loop --elements {}", elements),
                   saturating_product(elements, sizeof(moving_point)));
    return std::make_unique<job_loop_instance>(elements, values.size("part"),
                                               static_cast<std::uint32_t>(values.size("rounds")));
  }
};

}  // namespace

std::unique_ptr<const workload> make_job_loop() { return std::make_unique<job_loop_workload>(); }

}  // namespace heist::workloads
