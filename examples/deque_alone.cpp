// One deque without the runtime: its owner pushes a hundred thousand squares to be added up and
// takes the newest, while two thieves take the oldest. Any deque of <heist/deque/...> can replace
// chase_lev here, since all have these ends.
#include <array>
#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>

#include <heist/deque/chase_lev.hpp>

int main() {
  using heist::deque::push_result, heist::deque::steal_result;
  heist::deque::chase_lev<long long> deque(64);  // room for 64 before it grows
  std::atomic<bool> is_over{false};              // no more items will be pushed
  std::array<long long, 3> sums{};

  const auto thief = [&](long long& sum) {
    auto end = deque.thief();
    for (;;) {
      const bool was_over = is_over.load(std::memory_order_acquire);
      const auto [result, number] = end.steal();
      if (result == steal_result::taken) sum += number * number;
      if (result == steal_result::empty && was_over) return;  // after lost there may be more
    }
  };
  std::thread first(thief, std::ref(sums[1]));
  std::thread second(thief, std::ref(sums[2]));

  auto owner = deque.owner();
  for (long long i = 1; i <= 100'000; ++i)
    if (owner.push(i) == push_result::full) sums[0] += i * i;  // no memory: it adds the item itself
  while (const auto number = owner.pop()) sums[0] += *number * *number;
  is_over.store(true, std::memory_order_release);
  first.join();
  second.join();
  std::printf("%lld\n", sums[0] + sums[1] + sums[2]);
}
