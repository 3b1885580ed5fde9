#include "platform/fatal.hpp"

#include <windows.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace heist::inline v0::platform {

void fatal(std::string_view message) noexcept {
  std::array<char, 512> line;
  constexpr std::string_view before = "heist: ";
  const std::size_t length = std::min(message.size(), line.size() - before.size() - 1);
  std::memcpy(line.data(), before.data(), before.size());
  std::memcpy(line.data() + before.size(), message.data(), length);
  line[before.size() + length] = '\n';
  DWORD written = 0;
  ::WriteFile(::GetStdHandle(STD_ERROR_HANDLE), line.data(),
              static_cast<DWORD>(before.size() + length + 1), &written, nullptr);
  std::abort();
}

}  // namespace heist::inline v0::platform
