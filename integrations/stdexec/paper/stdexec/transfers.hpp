// The same small part of P2300: algorithms that go to another scheduler, or wait for several
// senders, and the end of a chain.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "stdexec/algorithms.hpp"
#include "stdexec/protocol.hpp"

namespace stdexec {

// What can go wrong on the way to a scheduler.
template <class Scheduler, class Env>
using going_there_t =
    mapped_t<no_values,
             completion_signatures_of_t<decltype(std::declval<Scheduler>().schedule()), Env>>;

// ---- [exec.continues.on]

struct continues_on_t {
  template <class Scheduler, class Before, class Env>
  using signatures =
      joined_t<completion_signatures_of_t<Before, Env>, going_there_t<Scheduler, Env>>;

  template <class Scheduler>
  struct attributes_of {
    Scheduler scheduler;
    template <class Completion>
    [[nodiscard]] Scheduler query(get_completion_scheduler_t<Completion>) const noexcept {
      return scheduler;
    }
  };
  template <class Scheduler, class Before>
  static attributes_of<Scheduler> attributes(const Scheduler& s, const Before&) noexcept {
    return {s};
  }

  struct stopped {};
  template <class Scheduler, class Before, class R>
  struct operation {
    using operation_state_concept = operation_state_t;
    struct first {
      using receiver_concept = receiver_t;
      operation* op;
      template <class... Values>
      void set_value(Values&&... v) noexcept {
        op->kept.template emplace<1>(std::forward<Values>(v)...);
        stdexec::start(op->op2);
      }
      void set_error(std::exception_ptr e) noexcept {
        op->kept = std::move(e);
        stdexec::start(op->op2);
      }
      void set_stopped() noexcept {
        op->kept = stopped();
        stdexec::start(op->op2);
      }
      [[nodiscard]] env_of_t<R> get_env() const noexcept { return stdexec::get_env(op->receiver); }
    };
    // On the other scheduler: completes with what was kept.
    struct second {
      using receiver_concept = receiver_t;
      operation* op;
      void set_value() noexcept {
        R& r = op->receiver;
        switch (op->kept.index()) {
          case 1:
            return std::apply(
                [&](auto&... v) { stdexec::set_value(std::move(r), std::move(v)...); },
                std::get<1>(op->kept));
          case 2:
            return stdexec::set_error(std::move(r), std::get<2>(op->kept));
          default:
            return stdexec::set_stopped(std::move(r));
        }
      }
      void set_error(std::exception_ptr e) noexcept {
        stdexec::set_error(std::move(op->receiver), std::move(e));
      }
      void set_stopped() noexcept { stdexec::set_stopped(std::move(op->receiver)); }
      [[nodiscard]] env_of_t<R> get_env() const noexcept { return stdexec::get_env(op->receiver); }
    };

    operation(const Scheduler& s, Before&& before, R r)
        : receiver(std::move(r)),
          op1(stdexec::connect(std::move(before), first{this})),
          op2(stdexec::connect(s.schedule(), second{this})) {}
    operation(operation&&) = delete;
    void start() noexcept { stdexec::start(op1); }

    R receiver;
    std::variant<std::monostate, kept_values_t<Before, env_of_t<R>>, std::exception_ptr, stopped>
        kept;
    connect_result_t<Before, first> op1;
    connect_result_t<decltype(std::declval<Scheduler>().schedule()), second> op2;
  };
  template <class Scheduler, class Before, class R>
  static auto connect(Scheduler s, Before before, R r) {
    return operation<Scheduler, Before, R>(s, std::move(before), std::move(r));
  }

  template <scheduler S>
  auto operator()(S s) const {
    return closure{[s](auto&& before) {
      return expression<continues_on_t, S, std::remove_cvref_t<decltype(before)>>{
          {}, s, std::forward<decltype(before)>(before)};
    }};
  }
};
inline constexpr continues_on_t continues_on{};

// ---- [exec.starts.on]: what is started there finds the scheduler in its environment.

struct starts_on_t {
  template <class Scheduler, class Env>
  using env_there = env_with<get_scheduler_t, Scheduler, std::remove_cvref_t<Env>>;
  template <class Scheduler, class After, class Env>
  using signatures = joined_t<completion_signatures_of_t<After, env_there<Scheduler, Env>>,
                              going_there_t<Scheduler, Env>, an_error>;
  template <class Scheduler, class After>
  static continues_on_t::attributes_of<Scheduler> attributes(const Scheduler& s,
                                                             const After&) noexcept {
    return {s};
  }

  template <class Scheduler, class After, class R>
  struct operation {
    using operation_state_concept = operation_state_t;
    struct first : passing<R&> {
      operation* op;
      void set_value() noexcept { stdexec::start(op->op2); }
    };
    struct second {
      using receiver_concept = receiver_t;
      operation* op;
      template <class... Values>
      void set_value(Values&&... v) noexcept {
        stdexec::set_value(std::move(op->receiver), std::forward<Values>(v)...);
      }
      void set_error(std::exception_ptr e) noexcept {
        stdexec::set_error(std::move(op->receiver), std::move(e));
      }
      void set_stopped() noexcept { stdexec::set_stopped(std::move(op->receiver)); }
      [[nodiscard]] env_there<Scheduler, env_of_t<R>> get_env() const noexcept {
        return {op->scheduler, stdexec::get_env(op->receiver)};
      }
    };
    operation(const Scheduler& s, After&& after, R r)
        : scheduler(s),
          receiver(std::move(r)),
          op1(stdexec::connect(s.schedule(), first{{receiver}, this})),
          op2(stdexec::connect(std::move(after), second{this})) {}
    operation(operation&&) = delete;
    void start() noexcept { stdexec::start(op1); }

    Scheduler scheduler;
    R receiver;
    connect_result_t<decltype(std::declval<Scheduler>().schedule()), first> op1;
    connect_result_t<After, second> op2;
  };
  template <class Scheduler, class After, class R>
  static auto connect(Scheduler s, After after, R r) {
    return operation<Scheduler, After, R>(s, std::move(after), std::move(r));
  }

  template <scheduler S, sender After>
  auto operator()(S s, After&& after) const {
    return expression<starts_on_t, S, std::remove_cvref_t<After>>{
        {}, s, std::forward<After>(after)};
  }
};
inline constexpr starts_on_t starts_on{};

// ---- [exec.run.loop]

class run_loop {
 public:
  struct task {
    void (*run)(task&) noexcept;
    task* next = nullptr;
  };

  template <class R>
  struct operation : task {
    using operation_state_concept = operation_state_t;
    operation(run_loop& l, R r) noexcept
        : task{[](task& t) noexcept {
            stdexec::set_value(std::move(static_cast<operation&>(t).receiver));
          }},
          loop(l),
          receiver(std::move(r)) {}
    operation(operation&&) = delete;
    void start() noexcept { loop.push(*this); }
    run_loop& loop;
    R receiver;
  };
  struct loop_scheduler;
  struct loop_sender {
    using sender_concept = sender_t;
    run_loop* loop;
    template <class Self, class Env>
    static consteval auto get_completion_signatures() {
      return completion_signatures<set_value_t()>();
    }
    template <receiver R>
    auto connect(R r) const noexcept {
      return operation<R>(*loop, std::move(r));
    }
    [[nodiscard]] continues_on_t::attributes_of<loop_scheduler> get_env() const noexcept;
  };
  struct loop_scheduler {
    using scheduler_concept = scheduler_t;
    run_loop* loop;
    [[nodiscard]] loop_sender schedule() const noexcept { return {loop}; }
    friend bool operator==(const loop_scheduler&, const loop_scheduler&) noexcept = default;
  };

  loop_scheduler get_scheduler() noexcept { return {this}; }
  void run() {
    while (task* const t = pop()) t->run(*t);
  }
  void finish() {
    const std::lock_guard hold(guard_);
    is_finished_ = true;
    changed_.notify_all();
  }

 private:
  void push(task& t) {
    const std::lock_guard hold(guard_);
    *end_ = &t;
    end_ = &t.next;
    changed_.notify_all();
  }
  task* pop() {
    std::unique_lock hold(guard_);
    changed_.wait(hold, [&] { return first_ != nullptr || is_finished_; });
    task* const t = first_;
    if (t == nullptr) return nullptr;
    first_ = t->next;
    if (first_ == nullptr) end_ = &first_;
    return t;
  }

  std::mutex guard_;
  std::condition_variable changed_;
  task* first_ = nullptr;  // guarded by guard_, as are the next
  task** end_ = &first_;
  bool is_finished_ = false;
};
inline continues_on_t::attributes_of<run_loop::loop_scheduler> run_loop::loop_sender::get_env()
    const noexcept {
  return {loop_scheduler{loop}};
}

// ---- [exec.sync.wait]

struct sync_wait_t {
  struct env {
    run_loop* loop;
    [[nodiscard]] run_loop::loop_scheduler query(get_scheduler_t) const noexcept {
      return loop->get_scheduler();
    }
  };
  template <class Values>
  struct state {
    run_loop loop;
    std::exception_ptr thrown;
    std::optional<Values> values;
  };
  template <class Values>
  struct last {
    using receiver_concept = receiver_t;
    state<Values>* s;
    template <class... V>
    void set_value(V&&... v) noexcept {
      s->values.emplace(std::forward<V>(v)...);
      s->loop.finish();
    }
    void set_error(std::exception_ptr e) noexcept {
      s->thrown = std::move(e);
      s->loop.finish();
    }
    void set_stopped() noexcept { s->loop.finish(); }
    [[nodiscard]] env get_env() const noexcept { return {&s->loop}; }
  };

  // Nothing if it was stopped.
  template <sender S>
  auto operator()(S&& s) const {
    using values = kept_values_t<S, env>;
    state<values> result;
    auto operation = connect(std::forward<S>(s), last<values>{&result});
    stdexec::start(operation);
    result.loop.run();
    if (result.thrown) std::rethrow_exception(result.thrown);
    return std::move(result.values);
  }
};
inline constexpr sync_wait_t sync_wait{};

}  // namespace stdexec
