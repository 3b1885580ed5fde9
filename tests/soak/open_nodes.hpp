// The nodes that have begun and not ended, which the watchdog prints besides the pools' state. A
// suspended fiber is in one of them.
#pragma once

#include <cstdint>
#include <string>

namespace heist_soak {

class open_node {
 public:
  open_node(std::uint64_t node, int depth, const char* construct) noexcept;
  ~open_node();
  open_node(const open_node&) = delete;
  open_node& operator=(const open_node&) = delete;

  // At most that many nodes, one per line.
  static std::string describe(unsigned most);

 private:
  const std::uint64_t node_;
  const int depth_;
  const char* const construct_;
  open_node* next_ = nullptr;  // guarded by its list's lock, as is the next one
  open_node* previous_ = nullptr;
};

}  // namespace heist_soak
