// The program heist-tbb, which `heist tbb PROGRAM` becomes, and which becomes that program, with
// heist's libtbb.so.12 before oneTBB's own in the loader's path. So any program that was linked
// with oneTBB runs on heist's workers.
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

#include "cli/cli.hpp"
#include "cli/tbb/parse_tbb.hpp"

namespace heist::cli {

namespace {

// Beside the command where it was built, and where it was installed.
std::string folder_of_library() {
  std::error_code failed;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) throw resource_error(fmt::format("/proc/self/exe: {}", failed.message()));
  for (const char* folder : {"lib/heist-tbb", HEIST_LIBRARIES_FROM_BINARIES "/heist-tbb"}) {
    const auto place = own.parent_path() / folder;
    if (std::filesystem::exists(place / "libtbb.so.12")) return place.lexically_normal().string();
  }
  throw resource_error(
      fmt::format("there is no lib/heist-tbb/libtbb.so.12 beside {}: this heist was built without "
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

[[noreturn]] void become_tbb_program(const tbb_request& request) {
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

int run_tbb(int argc, const char* const* argv, output& out) {
  const auto asked = parse_tbb(argc, argv);
  if (const auto* const help = std::get_if<std::string>(&asked)) {
    out.print("{}", *help);
    return success;
  }
  become_tbb_program(std::get<tbb_request>(asked));
}

}  // namespace

}  // namespace heist::cli

int main(int argc, char** argv) {
  return heist::cli::run_and_complain(
      [&](heist::cli::output& out) { return heist::cli::run_tbb(argc - 1, argv + 1, out); }, stdout,
      stderr);
}
