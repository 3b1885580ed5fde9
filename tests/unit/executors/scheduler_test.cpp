// heist::scheduler has the interface that P2300 requires, written down here as concepts because no
// available library has them. Every operation completes once, on a worker, in the right way.
#include "heist/scheduler.hpp"

#include <atomic>
#include <concepts>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/sync/latch.hpp"
#include "heist/sync/mutex.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/sync/support.hpp"

// How often this thread has allocated. The sanitizers replace these functions themselves.
static thread_local long allocations = 0;

#if !defined(HEIST_TEST_ASAN) && !defined(HEIST_TEST_TSAN)
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

namespace heist_test {
namespace {

namespace execution = heist::execution;

// ---- P2300R10 in short: [exec.sched], [exec.snd.concepts], [exec.recv.concepts],
// [exec.opstate.general].

template <class O>
concept operation_state = std::destructible<O> && std::is_object_v<O> && requires(O& o) {
  { o.start() } noexcept;
};

template <class S>
concept sender = std::move_constructible<std::remove_cvref_t<S>> &&
                 std::constructible_from<std::remove_cvref_t<S>, S> &&
                 requires(const std::remove_cvref_t<S>& s) {
                   typename std::remove_cvref_t<S>::completion_signatures;
                   { s.get_env() } noexcept;
                 };

template <class S, class R>
concept sender_to = sender<S> && requires(S&& s, R&& r) {
  { std::forward<S>(s).connect(std::forward<R>(r)) } -> operation_state;
};

template <class S>
concept scheduler =
    std::copy_constructible<S> && std::equality_comparable<S> &&
    std::is_nothrow_copy_constructible_v<S> && std::is_nothrow_destructible_v<S> &&
    requires(S& s, const S& c) {
      { s.schedule() } -> sender;
      { c == c } noexcept;
      {
        s.schedule().get_env().query(execution::get_completion_scheduler<execution::set_value_t>)
      } -> std::same_as<S>;
    };

// ---- Receivers and an adaptor that use only this interface.

// The outcome of an operation.
struct outcome {
  heist::latch done{1};
  std::atomic<int> completions{0};
  std::string how = "none";
  std::exception_ptr thrown{};
  int value = -1;
  int worker = -2;

  void is_over(std::string what) {
    completions.fetch_add(1);
    how = std::move(what);
    worker = heist::this_worker::index();
    done.count_down();
  }
};

struct plain_receiver {
  outcome* of;
  void set_value() && noexcept { of->is_over("value"); }
  void set_value(int v) && noexcept {
    of->value = v;
    of->is_over("value");
  }
  void set_error(std::exception_ptr thrown) && noexcept {
    of->thrown = std::move(thrown);
    of->is_over("error");
  }
  void set_stopped() && noexcept { of->is_over("stopped"); }
};

struct stoppable_receiver : plain_receiver {
  struct env {
    std::stop_token token;
    [[nodiscard]] std::stop_token query(execution::get_stop_token_t) const noexcept {
      return token;
    }
  };
  std::stop_token token;
  [[nodiscard]] env get_env() const noexcept { return {token}; }
};

// then(s, f) sends f().
template <class R, class F>
struct then_receiver {
  R next;
  F f;
  void set_value() && noexcept {
    std::optional<int> v;
    std::exception_ptr thrown;
    try {
      v = f();
    } catch (...) {
      thrown = std::current_exception();
    }
    v ? std::move(next).set_value(*v) : std::move(next).set_error(thrown);
  }
  void set_error(std::exception_ptr thrown) && noexcept {
    std::move(next).set_error(std::move(thrown));
  }
  void set_stopped() && noexcept { std::move(next).set_stopped(); }
};
template <class S, class F>
struct then_sender {
  using completion_signatures =
      execution::completion_signatures<execution::set_value_t(int),
                                       execution::set_error_t(std::exception_ptr),
                                       execution::set_stopped_t()>;
  S before;
  F f;
  [[nodiscard]] auto get_env() const noexcept { return before.get_env(); }
  template <class R>
  auto connect(R r) const {
    return before.connect(then_receiver<R, F>{std::move(r), f});
  }
};
template <class S, class F>
then_sender(S, F) -> then_sender<S, F>;

using plain_sender = heist::scheduler::sender;
using loop = decltype(execution::bulk(std::declval<plain_sender>(), 5, [](int) {}));
static_assert(scheduler<heist::scheduler>);
static_assert(sender<plain_sender> && sender_to<plain_sender, plain_receiver>);
static_assert(sender_to<plain_sender&, stoppable_receiver>);
static_assert(sender<loop> && sender_to<loop, plain_receiver> &&
              sender_to<const loop&, stoppable_receiver>);
static_assert(execution::receiver<plain_receiver> && !execution::receiver<int>);
static_assert(noexcept(std::declval<plain_sender>().connect(std::declval<plain_receiver>())));
static_assert(!std::move_constructible<
              decltype(std::declval<plain_sender>().connect(std::declval<plain_receiver>()))>);

class Schedulers : public on_pools {
 protected:
  // Runs a sender to its end.
  template <class S>
  outcome& run(S&& s) {
    result_.emplace();
    auto operation = std::forward<S>(s).connect(plain_receiver{&*result_});
    operation.start();
    result_->done.wait();
    return *result_;
  }
  template <class S>
  outcome& run(S&& s, std::stop_token token) {
    result_.emplace();
    auto operation = std::forward<S>(s).connect(stoppable_receiver{{&*result_}, std::move(token)});
    operation.start();
    result_->done.wait();
    return *result_;
  }

  const heist::scheduler on_{pool_};
  std::optional<outcome> result_;
};
INSTANTIATE_TEST_SUITE_P(Pools, Schedulers, testing::ValuesIn(few_pools()), name_of);

TEST_P(Schedulers, CompletesOnAWorker) {
  const outcome& o = run(on_.schedule());
  EXPECT_EQ(o.how, "value");
  EXPECT_GE(o.worker, 0);
  EXPECT_EQ(o.completions.load(), 1);
  EXPECT_EQ(
      on_.schedule().get_env().query(execution::get_completion_scheduler<execution::set_stopped_t>),
      on_);
}

TEST_P(Schedulers, EqualIfOfOnePool) {
  heist::pool other({.workers = 1});
  EXPECT_TRUE(on_ == heist::scheduler(pool_));
  EXPECT_FALSE(on_ == heist::scheduler(other));
  EXPECT_EQ(&on_.where(), &pool_);
}

TEST_P(Schedulers, ManyOperationsCompleteOnceEach) {
  const auto n = static_cast<std::size_t>(scaled(2000));
  using operation = decltype(on_.schedule().connect(std::declval<plain_receiver>()));
  std::vector<outcome> outcomes(n);
  std::vector<std::unique_ptr<operation>> operations;
  for (outcome& o : outcomes)
    operations.push_back(
        std::unique_ptr<operation>(new operation(on_.schedule().connect(plain_receiver{&o}))));
  pool_.run([&] {
    for (std::size_t i = 0; i < n / 2; ++i) operations[i]->start();
  });
  for (std::size_t i = n / 2; i < n; ++i) operations[i]->start();
  for (outcome& o : outcomes) o.done.wait();
  for (const outcome& o : outcomes) ASSERT_EQ(o.completions.load(), 1);
}

// A chain of operations goes on while the start() of an earlier one is still on its way out.
TEST_P(Schedulers, ThePoolMayEndBeforeStartReturns) {
  for (int round = 0; round < scaled(200); ++round) {
    auto brief = std::make_unique<heist::pool>(heist::pool_config{.workers = 1});
    outcome o;
    auto operation = heist::scheduler(*brief).schedule().connect(plain_receiver{&o});
    auto started = pool_.submit([&] { operation.start(); });
    o.done.wait();
    brief.reset();
    started.get();
  }
}

TEST_P(Schedulers, NothingIsAllocated) {
  if (asan || tsan) GTEST_SKIP() << "allocations aren't counted";
  outcome o;
  const long before = allocations;
  auto operation = on_.schedule().connect(plain_receiver{&o});
  operation.start();
  EXPECT_EQ(allocations, before);
  o.done.wait();
  const auto something = std::make_unique<int>();
  EXPECT_EQ(allocations, before + 1);  // so they are counted
}

TEST_P(Schedulers, StartIsNoCall) {
  heist::pool one({.workers = 1});
  outcome o;
  auto operation = heist::scheduler(one).schedule().connect(plain_receiver{&o});
  one.run([&] {
    operation.start();
    EXPECT_EQ(o.completions.load(), 0);  // the only worker is here
  });
  o.done.wait();
  EXPECT_EQ(o.how, "value");
}

// Owns the operation that calls it, and deletes it.
struct self_ending {
  struct receiver {
    self_ending* self;
    void set_value() && noexcept {
      heist::latch& all = self->done;
      delete self;
      all.count_down();
    }
    void set_error(std::exception_ptr) && noexcept { std::abort(); }
    void set_stopped() && noexcept { std::abort(); }
  };
  self_ending(heist::scheduler on, heist::latch& d)
      : done(d), operation(on.schedule().connect(receiver{this})) {}
  heist::latch& done;
  decltype(std::declval<plain_sender>().connect(std::declval<receiver>())) operation;
};

TEST_P(Schedulers, AnOperationMayBeDestroyedByItsReceiver) {
  const int n = scaled(300);
  heist::latch done(n);
  for (int i = 0; i < n; ++i) (new self_ending(on_, done))->operation.start();
  done.wait();
  pool_.run([&] {
    heist::latch inside(n);
    for (int i = 0; i < n; ++i) (new self_ending(on_, inside))->operation.start();
    inside.wait();
  });
}

TEST_P(Schedulers, ValuesAndExceptionsOfWhatFollows) {
  const outcome& o = run(then_sender{on_.schedule(), [] { return 42; }});
  EXPECT_EQ(o.how, "value");
  EXPECT_EQ(o.value, 42);
  const outcome& e =
      run(then_sender{on_.schedule(), []() -> int { throw std::domain_error("no"); }});
  EXPECT_EQ(e.how, "error");
  EXPECT_THROW(std::rethrow_exception(e.thrown), std::domain_error);
}

TEST_P(Schedulers, StoppedBeforeItBegins) {
  std::stop_source stop;
  EXPECT_EQ(run(on_.schedule(), stop.get_token()).how, "value");
  stop.request_stop();
  EXPECT_EQ(run(on_.schedule(), stop.get_token()).how, "stopped");
  bool was_called = false;
  EXPECT_EQ(
      run(execution::bulk(on_.schedule(), 5, [&](int) { was_called = true; }), stop.get_token())
          .how,
      "stopped");
  EXPECT_FALSE(was_called);
}

TEST_P(Schedulers, BulkCallsEveryIndexOnce) {
  const std::size_t n = 10'000;
  std::vector<std::atomic<int>> calls(n);
  const outcome& o =
      run(execution::bulk(on_.schedule(), n, [&](std::size_t i) { calls[i].fetch_add(1); }));
  EXPECT_EQ(o.how, "value");
  for (const auto& c : calls) ASSERT_EQ(c.load(), 1);
  EXPECT_EQ(run(execution::bulk(on_.schedule(), 0, [&](int) { calls[0].fetch_add(1); })).how,
            "value");
  EXPECT_EQ(calls[0].load(), 1);
}

TEST_P(Schedulers, BulkSeesAndSendsTheValues) {
  std::atomic<int> sum{0};
  auto loop_of_42 = execution::bulk(then_sender{on_.schedule(), [] { return 42; }}, 10,
                                    [&](int i, int value) { sum.fetch_add(i * value); });
  const outcome& o = run(std::as_const(loop_of_42));
  EXPECT_EQ(o.value, 42);
  EXPECT_EQ(sum.load(), 45 * 42);
}

TEST_P(Schedulers, BulksInARow) {
  std::vector<int> v(1000, 1);
  const auto at = [&](int i) -> int& { return v[static_cast<std::size_t>(i)]; };
  const outcome& o =
      run(execution::bulk(execution::bulk(on_.schedule(), 1000, [&](int i) { at(i) += i; }), 1000,
                          [&](int i) { at(i) *= 2; }));
  EXPECT_EQ(o.how, "value");
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(at(i), 2 * (1 + i));
}

TEST_P(Schedulers, BulkIsStolenFrom) {
  if (GetParam().workers == 1) GTEST_SKIP() << "nobody to steal";
  heist::mutex guard;
  std::set<int> workers;  // guarded by guard
  EXPECT_TRUE(eventually([&] {
    run(execution::bulk(on_.schedule(), 64, [&](int) {
      linger(std::chrono::microseconds(100));
      const std::lock_guard hold(guard);
      workers.insert(heist::this_worker::index());
    }));
    return workers.size() > 1;
  }));
}

TEST_P(Schedulers, BulkSendsTheLeftmostException) {
  const outcome& o = run(execution::bulk(on_.schedule(), 1000, [](int i) {
    if (i % 400 == 399) throw i;
  }));
  EXPECT_EQ(o.how, "error");
  EXPECT_EQ(o.completions.load(), 1);
  try {
    std::rethrow_exception(o.thrown);
  } catch (int i) {
    EXPECT_EQ(i, 399);
  }
}

TEST_P(Schedulers, BulkIsStoppedOnTheWay) {
  std::stop_source stop;
  std::atomic<int> calls{0};
  const int n = 100'000'000;
  const outcome& o = run(execution::bulk(on_.schedule(), n,
                                         [&](int) {
                                           if (calls.fetch_add(1, std::memory_order_relaxed) == 0)
                                             stop.request_stop();
                                         }),
                         stop.get_token());
  EXPECT_EQ(o.how, "stopped");
  EXPECT_LT(calls.load(), n);
}

TEST_P(Schedulers, ACancelledLoopInTheBodyIsAnError) {
  std::stop_source other;
  other.request_stop();
  const auto body = [&](int) { heist::parallel_for(other.get_token(), 0, 10, [](int) {}); };
  EXPECT_EQ(run(execution::bulk(on_.schedule(), 3, body)).how, "error");
  std::stop_source own;
  EXPECT_EQ(run(execution::bulk(on_.schedule(), 3, body), own.get_token()).how, "error");
}

TEST(SchedulerInAForkedChild, StartSendsTheError) {
  if (tsan) GTEST_SKIP() << "ThreadSanitizer doesn't like a fork() of many threads";
  heist::pool pool({.workers = 1});
  EXPECT_EQ(in_forked_child([&] {
              outcome o;
              auto operation = heist::scheduler(pool).schedule().connect(plain_receiver{&o});
              operation.start();
              return o.how == "error" && o.worker == -1 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace heist_test
