// Doubles some numbers with stdexec's algorithms on a pool: the loop's iterations may be stolen by
// any of its workers.
#include <cstdio>
#include <numeric>
#include <stdexec/execution.hpp>
#include <vector>

#include <heist/integrations/stdexec.hpp>

int main() {
  heist::pool pool;
  const heist::integrations::stdexec_scheduler on(pool);
  std::vector<int> numbers(10);
  std::iota(numbers.begin(), numbers.end(), 1);
  auto work = stdexec::just(std::move(numbers)) | stdexec::continues_on(on) |
              stdexec::bulk(stdexec::par, std::size_t{10},
                            [](std::size_t i, std::vector<int>& v) { v[i] *= 2; }) |
              stdexec::then(
                  [](const std::vector<int>& v) { return std::accumulate(v.begin(), v.end(), 0); });
  auto [sum] = stdexec::sync_wait(std::move(work)).value();
  std::printf("2 + 4 + ... + 20 = %d\n", sum);
}
