#include <fmt/format.h>

#include <heist/error.hpp>

#include "workloads/constructs.hpp"
#include "workloads/graph_walk/graph_walk.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

constexpr std::uint64_t most_tasks = std::uint64_t{1} << 50;  // years, and no overflow

// A number above most_tasks stands for all of them.
std::uint64_t tasks_of(std::uint64_t breadth, unsigned depth) {
  std::uint64_t tasks = 1;
  for (unsigned level = 1; level < depth; ++level) {
    if (tasks > most_tasks / breadth) return most_tasks + 1;
    tasks = tasks * breadth + 1;
  }
  return tasks;
}

class graph_walk_instance final : public instance {
 public:
  explicit graph_walk_instance(const walk_shape& shape) : shape_(shape) {}

  void reset() override { sum_ = {}; }
  void run_serial() override { sum_ = walk_serially(0, shape_, 1); }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) { sum_ = walk(0, shape_, 1, fork); });
  }

  std::string result() const override {
    return fmt::format("{} tasks, sum {:016x}", sum_.tasks, sum_.value);
  }
  std::uint64_t checksum() const override { return mixed(mixed(sum_.tasks) + sum_.value); }

  std::optional<std::string> mistake() const override {
    const auto tasks = tasks_of(shape_.breadth, shape_.depth);
    if (sum_.tasks == tasks) return std::nullopt;
    return fmt::format("{} tasks ran, not {}", sum_.tasks, tasks);
  }

  work_count work() const override { return {static_cast<double>(sum_.tasks), "tasks"}; }

 private:
  walk_shape shape_;
  walk_sum sum_;
};

class graph_walk_workload final : public workload {
 public:
  std::string_view name() const override { return "graph_walk"; }
  std::string_view summary() const override {
    return "walks a graph of tasks with hundreds of children each, every one spawned alone";
  }

  profile describe() const override {
    return {.shape = "spawns",
            .stresses = "the price of a spawn: many children of one parent",
            .source = "the shape: 300 children, three levels"};
  }
  std::vector<option_spec> options() const override {
    return {integer_option("breadth", "children of a task", 300, 1, 1 << 24),
            integer_option("depth", "levels of tasks, the root's among them", 3, 1, 50),
            integer_option("work", "hashes that a task computes", 500, 0, 1'000'000'000)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const walk_shape shape{values.size("breadth"), static_cast<unsigned>(values.integer("depth")),
                           values.size("work")};
    if (tasks_of(shape.breadth, shape.depth) > most_tasks)
      throw usage_error(fmt::format("graph_walk --breadth {} --depth {} has more than 2^50 tasks",
                                    shape.breadth, shape.depth));
    require_memory(fmt::format("graph_walk --breadth {}", shape.breadth),
                   saturating_product(shape.breadth, shape.depth * sizeof(walk_sum)));
    return std::make_unique<graph_walk_instance>(shape);
  }
};

}  // namespace

std::unique_ptr<const workload> make_graph_walk() {
  return std::make_unique<graph_walk_workload>();
}

}  // namespace heist::workloads
