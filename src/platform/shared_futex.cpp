#include "platform/shared_futex.hpp"

#include <fcntl.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace heist::inline v0::platform {

std::optional<std::uint64_t> process_start_time(pid_t pid) noexcept {
  char path[40];
  std::snprintf(path, sizeof(path), "/proc/%d/stat", static_cast<int>(pid));
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  char text[1024];
  const ssize_t n = ::read(fd, text, sizeof(text));
  ::close(fd);
  if (n <= 0) return std::nullopt;
  // The second field, the name in parentheses, may hold anything.
  std::string_view rest(text, static_cast<std::size_t>(n));
  const std::size_t name_end = rest.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(name_end + 1);
  constexpr int fields_between = 20;  // the third field is the first of them
  for (int i = 0; i < fields_between; ++i) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  std::uint64_t time = 0;
  const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), time);
  if (problem != std::errc()) return std::nullopt;
  return time;
}

}  // namespace heist::inline v0::platform
