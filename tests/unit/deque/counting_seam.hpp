// The library's atomics with a memory that counts its arrays and can refuse one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "heist/deque/atomics.hpp"

namespace heist_test {

// The arrays of one test. Only owners make and free them; the tests have one owner at a time.
struct slot_memory {
  std::size_t arrays = 0;  // alive
  std::size_t slots = 0;   // in those
  std::size_t most_slots = 0;
  std::size_t made = 0;
  std::size_t largest_granted = ~std::size_t{0};  // more slots than these are refused
};
inline slot_memory counted;

struct counting_atomics : heist::deque::std_atomics {
  template <class T>
  static std::atomic<T>* new_slots(std::size_t n) noexcept {
    if (n > counted.largest_granted) return nullptr;
    ++counted.arrays;
    ++counted.made;
    counted.slots += n;
    counted.most_slots = std::max(counted.most_slots, counted.slots);
    return std_atomics::new_slots<T>(n);
  }
  template <class T>
  static void free_slots(std::atomic<T>* slots, std::size_t n) noexcept {
    --counted.arrays;
    counted.slots -= n;
    std_atomics::free_slots<T>(slots, n);
  }
};

}  // namespace heist_test
