// Measures functions that wait for each other: pairs that hand a number to and fro through two
// channels, so each of them is suspended and resumed for every message. One pair, and 16 pairs for
// each worker, on one worker and on all. Beside them pairs of threads do the same with a mutex and
// a condition variable, where the kernel switches.
#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/rounds.hpp"
#include "heist/fork_join.hpp"
#include "heist/scope.hpp"
#include "heist/sync/channel.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

constexpr unsigned pairs_for_each_worker = 16;
constexpr double most_of_one_worker = 0.75;  // of a message on all workers, with many pairs

// A place for one number, for two threads.
class threads_channel {
 public:
  void send(std::uint64_t n) {
    {
      const std::lock_guard hold(mutex_);
      number_ = n;
      is_full_ = true;
    }
    changed_.notify_one();
  }
  std::uint64_t receive() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return is_full_; });
    is_full_ = false;
    return number_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t number_ = 0;
  bool is_full_ = false;
};

class fibers_channel {
 public:
  void send(std::uint64_t n) { static_cast<void>(numbers_.send(n)); }
  std::uint64_t receive() { return *numbers_.receive(); }

 private:
  channel<std::uint64_t> numbers_{1};
};

// Answers the sum of what came back; each number comes back as the next one.
template <class Channel, class Both>
std::uint64_t hand_to_and_fro(std::uint64_t messages, Both&& both) {
  Channel there;
  Channel back;
  std::uint64_t sum = 0;
  both(
      [&] {
        for (std::uint64_t n = 0; n < messages; ++n) {
          there.send(n);
          sum += back.receive();
        }
      },
      [&] {
        for (std::uint64_t n = 0; n < messages; ++n) back.send(there.receive() + 1);
      });
  return sum;
}

// The sums of all pairs together, at one time.
std::uint64_t play_on(pool& on, std::size_t pairs, std::uint64_t messages) {
  std::vector<std::uint64_t> sums(pairs);
  on.run([&] {
    scope([&](task_scope& s) {
      for (std::uint64_t& sum : sums)
        s.spawn([&sum, messages] {
          sum = hand_to_and_fro<fibers_channel>(
              messages, [](auto f, auto g) { fork_join(std::move(f), std::move(g)); });
        });
    });
  });
  std::uint64_t all = 0;
  for (const std::uint64_t sum : sums) all += sum;
  return all;
}

std::uint64_t play_by_threads(std::size_t pairs, std::uint64_t messages) {
  std::vector<std::uint64_t> sums(pairs);
  {
    std::vector<std::jthread> all;
    for (std::uint64_t& sum : sums)
      all.emplace_back([&sum, messages] {
        sum = hand_to_and_fro<threads_channel>(messages, [](auto f, auto g) {
          const std::jthread other(std::move(g));
          f();
        });
      });
  }
  std::uint64_t all = 0;
  for (const std::uint64_t sum : sums) all += sum;
  return all;
}

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("messages", "how many numbers come back to each pair",
                         quick ? 100 : 20'000, 1, 100'000'000)};
}

results run(const workloads::option_values& values, const settings& with) {
  const auto messages = static_cast<std::uint64_t>(values.integer("messages"));
  const unsigned workers = workers_of(with);
  const auto nanoseconds = [messages](std::size_t pairs, auto&& play) {
    const std::uint64_t expected = pairs * (messages * (messages + 1) / 2);
    std::uint64_t found = 0;
    const double seconds = seconds_of([&] { found = play(); });
    check_result("messages", expected, found);
    return seconds / static_cast<double>(2 * messages * pairs) * 1e9;
  };
  struct setting {
    std::size_t pairs;
    contestant* threads;
    std::vector<std::pair<unsigned, contestant*>> on;
  };
  std::vector<std::unique_ptr<pool>> pools;
  std::vector<setting> all;
  contest every;
  for (const std::size_t pairs : {std::size_t{1}, std::size_t{pairs_for_each_worker} * workers}) {
    setting s{pairs, nullptr, {}};
    for (const unsigned p : {1U, workers}) {
      if (p == 1 && !s.on.empty()) continue;
      pools.push_back(std::make_unique<whole_pool>(pool_config{.workers = p}));
      pool& on = *pools.back();
      s.on.emplace_back(p, &every.add(fmt::format("{} pairs, P = {}", pairs, p), [&, pairs] {
        return nanoseconds(pairs, [&] { return play_on(on, pairs, messages); });
      }));
    }
    s.threads = &every.add(fmt::format("{} pairs, threads", pairs), [&, pairs] {
      return nanoseconds(pairs, [&] { return play_by_threads(pairs, messages); });
    });
    all.push_back(std::move(s));
  }
  every.play(with);

  results r;
  r.title = fmt::format("functions that wait for each other; {} rounds", with.repeat);
  for (const setting& s : all) {
    const std::string group = fmt::format("{} {}", s.pairs, s.pairs == 1 ? "pair" : "pairs");
    const samples& one = s.on.front().second->results;
    const auto add = [&](const std::string& name, const samples& found) {
      r.rows.push_back(
          {name,
           {{"a message", "ns", found}, {"to one worker", "", report::ratio(found, one)}},
           {},
           group});
    };
    for (const auto& [p, found] : s.on) add(fmt::format("fibers, P = {}", p), found->results);
    add("threads", s.threads->results);
    if (s.pairs == 1 || s.on.size() == 1) continue;
    target t{
        group + ", all workers to one", "", bound::at_most, most_of_one_worker, std::nullopt, {}};
    t.measured = report::ratio(s.on.back().second->results, one).median();
    r.targets.push_back(std::move(t));
  }
  return r;
}

}  // namespace

benchmark waits_benchmark() {
  return {"waits", "functions that hand each other messages and wait, beside threads", &options,
          &run};
}

}  // namespace heist::bench
