#include "bench/wake/others_sleep.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "bench/rounds.hpp"

namespace heist::bench {

namespace {

// The letter in /proc/self/task/TID/stat; 'X' for a thread that has ended meanwhile.
char state_of(const char* tid) {
  const auto path = std::string("/proc/self/task/") + tid + "/stat";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file == -1) return 'X';
  char buffer[512];
  const auto size = read(file, buffer, sizeof(buffer));
  close(file);
  if (size <= 0) return 'X';
  // The letter follows the name in parentheses, which may itself contain any character.
  const std::string_view text(buffer, static_cast<std::size_t>(size));
  const auto end = text.rfind(") ");
  return end == std::string_view::npos || end + 2 >= text.size() ? 'X' : text[end + 2];
}

bool others_sleep() {
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), &closedir);
  if (!tasks) return false;
  const auto self = std::to_string(gettid());
  while (const dirent* const entry = readdir(tasks.get())) {
    if (entry->d_name[0] == '.' || self == entry->d_name) continue;
    if (state_of(entry->d_name) == 'R') return false;
  }
  return true;
}

}  // namespace

bool wait_until_others_sleep(std::chrono::milliseconds patience) {
  const auto give_up = clock::now() + patience;
  while (!others_sleep())
    if (clock::now() >= give_up) return false;
  return true;
}

}  // namespace heist::bench
