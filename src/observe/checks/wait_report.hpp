// The text of reports about waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heist/detail/wait_checks.hpp"
#include "observe/checks/wait_graph.hpp"

namespace heist::inline v0::detail {

// A flow that has taken a lock.
struct lock_hold {
  flow who;
  hold_kind kind;
  const char* pool;  // as in wait_record
  pid_t thread;
};

// What is known of an object at an address.
struct object_record {
  std::string name{};
  place made{};
  std::vector<lock_hold> holds{};
  bool is_signal = false;  // it was unlocked by another flow than the one that locked it
  std::uint32_t timed_waits = 0;
};

constexpr std::size_t wait_kinds = static_cast<std::size_t>(wait_kind::task_group) + 1;
extern const char* const wait_texts[wait_kinds];

// All of them throw std::bad_alloc.

// fiber 0x7f1c2a (pool "heist")
[[nodiscard]] std::string describe_flow(flow who, const char* pool, pid_t thread);
// waits for mutex "accounts" (0x55d0c8, made at bank.cpp:12); `known` may be null.
[[nodiscard]] std::string describe_wait(awaited what, const object_record* known);

}  // namespace heist::inline v0::detail
