#include "observe/checks/wait_report.hpp"

#include <cstdio>
#include <iterator>
#include <string_view>

#include "platform/program.hpp"

namespace heist::inline v0::detail {

// In the order of wait_kind. heist-gdb.py reads them too.
constinit const char* const wait_texts[] = {
    "runs",
    "waits",
    "waits in a join",
    "waits at the end of a scope",
    "waits for a function in a pool",
    "waits for a call that may block",
    "waits for mutex",
    "waits to write under shared_mutex",
    "waits to read under shared_mutex",
    "waits for future",
    "waits to send to channel",
    "waits to receive from channel",
    "waits at latch",
    "waits for a permit of semaphore",
    "waits at barrier",
    "waits for a notification of condition_variable",
    "waits for task_group",
};
static_assert(std::size(wait_texts) == wait_kinds);

namespace {

std::string hex(const void* address) {
  char text[2 + 2 * sizeof(void*) + 1];
  std::snprintf(text, sizeof(text), "%p", address);
  return text;
}

std::string_view base_of(std::string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Of an object that no constructor has told of: a static one, which the compiler has initialised,
// lies in a loaded file.
std::string place_in_file(const void* object) {
  const platform::loaded_place found = platform::find_loaded_place(object);
  if (!found.symbol.empty()) return ", " + found.symbol;
  if (found.file.empty()) return {};
  char text[2 + 2 * sizeof(std::size_t) + 1];
  std::snprintf(text, sizeof(text), "0x%zx", found.offset);
  return ", in " + std::string(base_of(found.file)) + " at " + text;
}

}  // namespace

std::string describe_flow(flow who, const char* pool, pid_t thread) {
  if (pool == nullptr) return "thread " + std::to_string(thread);
  return "fiber " + hex(who) + " (pool \"" + pool + "\")";
}

std::string describe_wait(awaited what, const object_record* known) {
  std::string text(wait_texts[static_cast<std::size_t>(what.kind)]);
  if (what.kind >= wait_kind::mutex) {
    if (known != nullptr && !known->name.empty()) text += " \"" + known->name + "\"";
    text += " (" + hex(what.object);
    if (known != nullptr && known->made.file != nullptr)
      text += ", made at " + std::string(known->made.file) + ":" + std::to_string(known->made.line);
    else
      text += place_in_file(what.object);
    text += ")";
  }
  if (what.is_timed) text += " for a limited time";
  return text;
}

}  // namespace heist::inline v0::detail
