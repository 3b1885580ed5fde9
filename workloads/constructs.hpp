// More ways of forking (forkers.hpp): the same programs made of heist's task objects, of its job
// system, of futures, and of loops under a plan.
//
//     run_with_forks(how, [&](auto fork) { boards = count_boards(board, fork); });
//
// runs a program in the way that `how` names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <heist/error.hpp>
#include <heist/future.hpp>
#include <heist/job_system.hpp>
#include <heist/partitioner.hpp>
#include <heist/pool.hpp>
#include <heist/task.hpp>

#include "workloads/execution.hpp"
#include "workloads/forkers.hpp"

namespace heist::workloads {

// Where a function that runs apart leaves its result for the tuple.
template <class Function>
class apart {
 public:
  explicit apart(Function& function) : function_(function) {}

  void operator()() { result_.emplace(call_for_tuple(function_)); }
  [[nodiscard]] auto take() { return std::move(*result_); }

 private:
  Function& function_;
  std::optional<decltype(call_for_tuple(std::declval<Function&>()))> result_;
};

template <class F, class G>
inline constexpr bool both_are_void =
    std::is_void_v<std::invoke_result_t<F&>> && std::is_void_v<std::invoke_result_t<G&>>;

// What each way below does the same: Way::both(first, second) calls two functions without results,
// which may run at the same time.
template <class Way>
class forks_of {
 public:
  static constexpr bool is_parallel = true;

  template <class F, class G>
  auto operator()(F&& f, G&& g) const {
    if constexpr (both_are_void<F, G>) {
      way().both(f, g);
    } else {
      apart<std::remove_reference_t<F>> first(f);
      apart<std::remove_reference_t<G>> second(g);
      way().both(first, second);
      return std::tuple{first.take(), second.take()};
    }
  }

  // Cuts the loop in halves down to the grain.
  template <class Body>
  void loop(std::size_t n, std::size_t grain, const Body& body) const {
    if (n != 0) halves(0, n, grain < 1 ? 1 : grain, body);
  }

 private:
  [[nodiscard]] const Way& way() const { return static_cast<const Way&>(*this); }

  template <class Body>
  void halves(std::size_t first, std::size_t last, std::size_t grain, const Body& body) const {
    if (last - first <= grain) {
      for (std::size_t i = first; i < last; ++i) body(i);
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    auto left = [&, first, middle] { halves(first, middle, grain, body); };
    auto right = [&, middle, last] { halves(middle, last, grain, body); };
    way().both(left, right);
  }
};

// A task that calls a function, its own or one that outlives it.
template <class Function>
class function_task final : public task {
 public:
  explicit function_task(Function function) : function_(std::forward<Function>(function)) {}
  void execute() override { function_(); }

 private:
  Function function_;
};

// heist::task: a fork is a task with two children, which it waits for.
class task_forks : public forks_of<task_forks> {
 public:
  template <class F, class G>
  void both(F& f, G& g) const {
    pair_task<F, G> parent(f, g);
    run_task(parent);
  }

  template <class Function>
  void scope(const Function& function) const {
    scope_task<Function> parent(function);
    run_task(parent);
  }

 private:
  template <class F, class G>
  class pair_task final : public task {
   public:
    pair_task(F& f, G& g) : f_(f), g_(g) {}
    void execute() override {
      spawn(g_);
      f_();
      wait_for_all();
    }

   private:
    F& f_;
    function_task<G&> g_;
  };

  template <class Function>
  class scope_task final : public task {
   public:
    explicit scope_task(const Function& function) : function_(function) {}
    void execute() override {
      function_([this](auto&& child) {
        using child_task = function_task<std::decay_t<decltype(child)>>;
        this->spawn(std::make_unique<child_task>(std::forward<decltype(child)>(child)));
      });
      wait_for_all();
    }

   private:
    const Function& function_;
  };
};

// heist::job_system: a fork is a job for the second function, which the first one's caller waits
// for.
class job_forks : public forks_of<job_forks> {
 public:
  explicit job_forks(job_system& jobs) : jobs_(&jobs) {}

  template <class F, class G>
  void both(F& f, G& g) const {
    const auto second = jobs_->create_job([&g] { g(); });
    jobs_->run(second);
    try {
      f();
    } catch (...) {
      jobs_->wait(second);  // g's frame is about to end
      throw;
    }
    jobs_->wait(second);
  }

  template <class Function>
  void scope(const Function& function) const {
    const auto parent = jobs_->create_job([] {});
    const auto spawn = [&](auto&& child) {
      using closure = std::decay_t<decltype(child)>;
      auto kept = std::make_unique<closure>(std::forward<decltype(child)>(child));
      const auto call = [address = kept.get()] { (*std::unique_ptr<closure>(address))(); };
      const auto made = jobs_->create_job_as_child(parent, call);
      kept.release();
      jobs_->run(made);
    };
    const auto wait = [&] {
      jobs_->run(parent);
      jobs_->wait(parent);
    };
    try {
      function(spawn);
    } catch (...) {
      wait();
      throw;
    }
    wait();
  }

 private:
  job_system* jobs_;
};

// submit(): a fork is a future of the second function.
class future_forks : public forks_of<future_forks> {
 public:
  explicit future_forks(pool& on) : on_(&on) {}

  template <class F, class G>
  void both(F& f, G& g) const {
    auto second = on_->submit([&g] { g(); });
    try {
      f();
    } catch (...) {
      second.wait();  // g's frame is about to end
      throw;
    }
    second.get();
  }

  template <class Function>
  void scope(const Function& function) const {
    std::vector<future<void>> children;
    const auto spawn = [&](auto&& child) {
      children.push_back(on_->submit(std::forward<decltype(child)>(child)));
    };
    try {
      function(spawn);
    } catch (...) {
      for (auto& each : children) each.wait();
      throw;
    }
    for (auto& each : children) each.wait();
    for (auto& each : children) each.get();
  }

 private:
  pool* on_;
};

// Loops under a plan, and nothing else. The plan outlives the loops of a program, as semi_static
// must.
template <class Partitioner>
class planned {
 public:
  static constexpr bool is_parallel = true;

  explicit planned(Partitioner& plan) : plan_(&plan) {}

  template <class Body>
  void loop(std::size_t n, std::size_t /*grain*/, const Body& body) const {
    heist::parallel_for(std::size_t{0}, n, body, *plan_);
  }

 private:
  Partitioner* plan_;
};

#ifdef HEIST_WORKLOADS_RIVAL

}  // namespace heist::workloads
#include HEIST_WORKLOADS_RIVAL  // defines rival, a way of forking
namespace heist::workloads {

template <class Program>
void run_with_forks(const execution& how, Program&& program) {
  rival::run_forks(how.workers, program);
}
template <class Program>
void run_with_loops(const execution& how, Program&& program) {
  rival::run_loops(how.workers, program);
}

#else

// Calls program(fork) with the way of forking that `how` names. Throws usage_error for a plan,
// which can't fork.
template <class Program>
void run_with_forks(const execution& how, Program&& program) {
  switch (how.with) {
    case construct::forks:
      return program(forked{});
    case construct::tasks:
      return program(task_forks{});
    case construct::jobs: {
      job_system jobs(*how.on, how.memory);
      return program(job_forks(jobs));
    }
    case construct::futures:
      return program(future_forks(*how.on));
    case construct::plan:
      break;
  }
  throw usage_error("the plan " + std::string(to_string(how.plan)) +
                    " deals out loops, and this program forks");
}

// The same for a program that has nothing but loops. Under a plan, too.
template <class Program>
void run_with_loops(const execution& how, Program&& program) {
  if (how.with != construct::plan) return run_with_forks(how, program);
  const auto run = [&](auto plan) { program(planned(plan)); };
  switch (how.plan) {
    case loop_plan::static_blocks:
      return run(static_blocks{});
    case loop_plan::interleaved:
      return run(interleaved{});
    case loop_plan::semi_static: {
      semi_static plan;
      return program(planned(plan));
    }
    case loop_plan::counter:
      return run(dynamic{});
  }
}

#endif

}  // namespace heist::workloads
