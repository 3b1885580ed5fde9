// The end of a program that can't continue: one line on stderr, then abort().
#pragma once

#include <string_view>

namespace heist::inline v0::platform {

// Writes "heist: ", the message and a newline by one system call, and aborts. It allocates nothing,
// takes no lock and uses no stdio buffer: a child of fork() may call it while a thread that doesn't
// exist there holds any lock.
[[noreturn]] void fatal(std::string_view message) noexcept;

}  // namespace heist::inline v0::platform
