// `heist tbb PROGRAM` becomes that program, with heist's libtbb.so.12 before oneTBB's own in the
// loader's path. So any program that was linked with oneTBB runs on heist's workers.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include <heist/error.hpp>

#include "cli/commands.hpp"

namespace heist::cli {

namespace {

// Beside the command where it was built, and where it was installed.
std::string folder_of_library() {
  std::error_code failed;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) throw resource_error(fmt::format("/proc/self/exe: {}", failed.message()));
  for (const char* folder : {"heist-tbb", HEIST_LIBRARIES_FROM_BINARIES "/heist-tbb"}) {
    const auto place = own.parent_path() / folder;
    if (std::filesystem::exists(place / "libtbb.so.12")) return place.lexically_normal().string();
  }
  throw resource_error(
      fmt::format("there is no heist-tbb/libtbb.so.12 beside {}: this heist was built without "
                  "oneTBB's headers (Debian: libtbb-dev)",
                  own.string()));
}

void set(const char* name, const std::string& value) {
  if (::setenv(name, value.c_str(), 1) != 0) throw std::bad_alloc();
}

// Whether the environment asks for them, perhaps for more than --stats does.
bool has_statistics() {
  const char* const asked = std::getenv("HEIST_STATS");
  return asked != nullptr && *asked != '\0' && std::string_view(asked) != "0";
}

}  // namespace

void become_tbb_program(const tbb_request& request) {
  std::string path = folder_of_library();
  if (const char* const before = std::getenv("LD_LIBRARY_PATH");
      before != nullptr && *before != '\0')
    path += fmt::format(":{}", before);
  set("LD_LIBRARY_PATH", path);
  if (!request.workers.empty()) set("HEIST_WORKERS", request.workers);
  if (request.stats && !has_statistics()) set("HEIST_STATS", "1");
  std::vector<std::string> arguments = request.program;
  std::vector<char*> pointers;
  for (auto& each : arguments) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  ::execvp(pointers.front(), pointers.data());
  throw resource_error(fmt::format("tbb: {}: {}", arguments.front(), std::strerror(errno)));
}

}  // namespace heist::cli
