#include "race/last_reference.hpp"

namespace heist::inline v0::race::last_reference {

constinit thread_local std::uintptr_t held_counter = 0;

namespace {

constinit thread_local std::size_t held_at = 0;  // the calls that the thread was in

void let_go() noexcept {
  held_counter = 0;
  --away;
}

}  // namespace

void hold(std::uintptr_t counter, std::size_t depth) noexcept {
  if (is_held()) return;
  held_counter = counter;
  held_at = depth;
  ++away;
}

void left(std::size_t depth) noexcept {
  if (is_held() && depth < held_at) let_go();
}

void freed(std::uintptr_t first, std::size_t bytes) noexcept {
  if (is_held() && held_counter - first < bytes) let_go();
}

}  // namespace heist::inline v0::race::last_reference
