#include "race/last_reference.hpp"

#include "race/detector.hpp"

namespace heist::inline v0::race::last_reference {

namespace {

struct held {
  std::uintptr_t counter = 0;  // 0: none is held
  std::size_t depth = 0;
};
constinit thread_local held now __attribute__((tls_model("initial-exec")));

void let_go() noexcept {
  now.counter = 0;
  --away;
}

}  // namespace

bool is_held() noexcept { return now.counter != 0; }

bool is_away() noexcept { return away > (is_held() ? 1 : 0); }

void hold(std::uintptr_t counter, std::size_t depth) noexcept {
  if (is_held()) return;
  now = {counter, depth};
  ++away;
}

void left(std::size_t depth) noexcept {
  if (is_held() && depth < now.depth) let_go();
}

void freed(std::uintptr_t first, std::size_t bytes) noexcept {
  if (is_held() && now.counter - first < bytes) let_go();
}

}  // namespace heist::inline v0::race::last_reference
