#include "fatal.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace heist::inline v0::platform {

namespace {

// writev() only reads through it.
iovec part(std::string_view text) noexcept { return {const_cast<char*>(text.data()), text.size()}; }

}  // namespace

void fatal(std::string_view message) noexcept {
  const std::array<iovec, 3> line = {part("heist: "), part(message), part("\n")};
  // If this fails there is nobody left to tell.
  (void)!::writev(STDERR_FILENO, line.data(), static_cast<int>(line.size()));
  std::abort();
}

}  // namespace heist::inline v0::platform
