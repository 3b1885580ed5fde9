// `heist cluster` becomes heist-cluster, the program beside this one. So heist itself links no MPI.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include <heist/error.hpp>

#include "cli/commands.hpp"

namespace heist::cli {

void become_cluster_command(const cluster_request& request) {
  std::error_code failed;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) throw resource_error(fmt::format("/proc/self/exe: {}", failed.message()));
  const auto program = (own.parent_path() / "heist-cluster").string();
  std::vector<std::string> arguments{program};
  arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
  std::vector<char*> pointers;
  for (auto& each : arguments) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  if (errno == ENOENT)
    throw resource_error(
        fmt::format("there is no {}: this heist was built without MPI (Debian: libopenmpi-dev "
                    "openmpi-bin)",
                    program));
  throw resource_error(fmt::format("{}: {}", program, std::strerror(errno)));
}

}  // namespace heist::cli
