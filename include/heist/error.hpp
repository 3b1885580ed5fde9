// The exceptions that heist itself throws. A user's exception is never wrapped: it reaches the join
// as it was thrown.
//
// Two kinds, because the caller's answer differs: a usage_error is mended in the program or in its
// environment variables, a resource_error by asking for less or later. The command maps them to
// exit codes 2 and 1.
//
// The classes have default visibility, so that a program built with hidden visibility can still
// catch what the shared library throws: both sides must agree on one type_info.
#pragma once

#include <stdexcept>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0 {

// Base of everything that heist throws on its own account. what() is one line that names the thing
// at fault.
class [[gnu::visibility("default")]] error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A bad argument, a nonsensical pool_config, or a HEIST_* variable with a value that it can't have.
class [[gnu::visibility("default")]] usage_error : public error {
 public:
  using error::error;
};

// The system refused memory, threads, a signal or a file.
class [[gnu::visibility("default")]] resource_error : public error {
 public:
  using error::error;
};

// Under HEIST_CHECK=1 only: a wait for a lock or a future that could never end, since it is part of
// a cycle of waits. what() names the cycle.
class [[gnu::visibility("default")]] deadlock : public error {
 public:
  using error::error;
};

}  // namespace heist::inline v0
