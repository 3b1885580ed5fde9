// Uses every deque without the library; the library's part of <heist/deque/heavy_barrier.hpp> is
// only declared.

#include <heist/deque/abp.hpp>
#include <heist/deque/bounded_ring.hpp>
#include <heist/deque/chase_lev.hpp>
#include <heist/deque/locked.hpp>
#include <heist/deque/multi_steal.hpp>
#include <heist/deque/split.hpp>
#include <heist/deque/steal_half.hpp>

template <class Deque>
bool works() {
  Deque deque(64);
  auto owner = deque.owner();
  auto thief = deque.thief();
  const bool pushed = owner.push(1) == heist::deque::push_result::ok &&
                      owner.push(2) == heist::deque::push_result::ok;
  const bool popped = owner.pop() == 2;
  return pushed && popped && thief.steal().result != heist::deque::steal_result::lost;
}

int main() {
  using namespace heist::deque;
  return works<abp<long>>() && works<bounded_ring<long>>() && works<chase_lev<long>>() &&
                 works<locked<long>>() && works<multi_steal<long>>() && works<split<long>>() &&
                 works<steal_half<long>>()
             ? 0
             : 1;
}
