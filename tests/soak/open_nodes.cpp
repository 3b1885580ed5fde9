#include "tests/soak/open_nodes.hpp"

#include <array>
#include <cstdio>
#include <mutex>

namespace heist_soak {

namespace {

// There are several lists, so that two threads hardly ever compete for a lock.
struct list {
  std::mutex mutex;
  open_node* first = nullptr;  // guarded by mutex
};

std::array<list, 64>& lists() {
  static std::array<list, 64> all;
  return all;
}

list& list_of(std::uint64_t node) { return lists()[node % lists().size()]; }

}  // namespace

open_node::open_node(std::uint64_t node, int depth, const char* construct) noexcept
    : node_(node), depth_(depth), construct_(construct) {
  list& l = list_of(node_);
  const std::lock_guard hold(l.mutex);
  next_ = l.first;
  if (next_ != nullptr) next_->previous_ = this;
  l.first = this;
}

open_node::~open_node() {
  list& l = list_of(node_);
  const std::lock_guard hold(l.mutex);
  if (next_ != nullptr) next_->previous_ = previous_;
  (previous_ != nullptr ? previous_->next_ : l.first) = next_;
}

std::string open_node::describe(unsigned most) {
  std::string text;
  for (list& l : lists()) {
    const std::lock_guard hold(l.mutex);
    for (const open_node* n = l.first; n != nullptr && most != 0; n = n->next_, --most) {
      char line[128];
      std::snprintf(line, sizeof(line), "  node %016llx, %d above the leaves: %s\n",
                    static_cast<unsigned long long>(n->node_), n->depth_, n->construct_);
      text += line;
    }
  }
  return text;
}

}  // namespace heist_soak
