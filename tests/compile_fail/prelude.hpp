// What the wrong programs of cases.txt and the right ones of right.cpp share.
#pragma once

#include <any>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <heist/heist.hpp>

#include <heist/deque/split.hpp>

// Neither copied nor moved.
struct fixed {
  fixed() = default;
  fixed(fixed&&) = delete;
};
// Not a stop condition: it may throw.
struct throwing_stop {
  bool stop_requested() const { return false; }
};
inline const auto move_only = [p = std::make_unique<int>(1)] { return *p; };
