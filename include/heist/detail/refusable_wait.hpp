// A wait for a lock or a future under HEIST_CHECK=1: it throws deadlock where it would never end.
// How such a wait is found: src/observe/checks/wait_graph.hpp.
#pragma once

#include <sys/types.h>

#include <string>

#include "heist/detail/export.hpp"
#include "heist/detail/waiting.hpp"

namespace heist::inline v0::detail {

// A flow of control: the fiber, or what identifies the thread.
using flow = const void*;

// A wait, while it is in the graph. It lies on the waiter's stack.
struct wait_record {
  using node_function = bool (*)(void* owner, void* node) noexcept;

  flow who = nullptr;
  const char* pool = nullptr;  // the name of the fiber's pool; nullptr: a thread
  pid_t thread = 0;
  awaited what{};
  const void* state = nullptr;  // the rendezvous of a join or a call
  const void* runs = nullptr;   // the rendezvous that it settles itself, or nullptr
  const void* scope = nullptr;  // of which it is a child, or nullptr

  // Of waits that can be refused. `node` is null until it is listed.
  bool can_be_refused = false;
  bool is_refused = false;
  bool has_given_up = false;
  void* owner = nullptr;
  void* node = nullptr;
  node_function give_up = nullptr;
  node_function is_listed = nullptr;
  wait_point* point = nullptr;
  std::string cycle{};  // why it was refused
};

// A wait for a lock or a future. To be used only if waits are checked.
class refusable_wait {
 public:
  // Throws deadlock if it closes a cycle. The waiter's node isn't listed yet.
  explicit refusable_wait(awaited what);
  ~refusable_wait();
  refusable_wait(const refusable_wait&) = delete;
  refusable_wait& operator=(const refusable_wait&) = delete;

  // The waiter's node is listed: waits. Throws deadlock, and then the node is in no list.
  // give_up(owner, node) takes it out if it is still there, and then returns true.
  void wait(wait_point& point, void* owner, void* node, wait_record::node_function give_up,
            wait_record::node_function is_listed = nullptr);

 private:
  wait_record record_;
};

}  // namespace heist::inline v0::detail
