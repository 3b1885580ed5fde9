#include "workloads/memory.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <sys/resource.h>

#include <heist/error.hpp>

namespace heist::workloads {

namespace {

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> read_number(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

// The number after `key` in a file of lines "key number".
std::optional<std::uint64_t> read_field(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t value = 0;
    if (words >> name >> value && name == key) return value;
  }
  return std::nullopt;
}

std::uint64_t machine_bytes(const std::string& root) {
  const auto kibibytes = read_field(root + "/proc/meminfo", "MemAvailable:");
  return kibibytes ? *kibibytes * 1024 : no_limit;
}

// The names that the two versions of the cgroup interface have for the same files.
struct cgroup_files {
  std::string_view mount, limit, usage, inactive_file;
};

constexpr cgroup_files version_1{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
                                 "/memory.usage_in_bytes", "total_inactive_file"};
constexpr cgroup_files version_2{"/sys/fs/cgroup", "/memory.max", "/memory.current",
                                 "inactive_file"};

// Cached file pages count as used, but the kernel reclaims them before it kills a process.
std::uint64_t bytes_left_in(const std::string& directory, const cgroup_files& files) {
  const auto limit = read_number(directory + std::string(files.limit));
  const auto usage = read_number(directory + std::string(files.usage));
  if (!limit || !usage) return no_limit;
  const auto cached = read_field(directory + "/memory.stat", files.inactive_file).value_or(0);
  const auto used = *usage - std::min(*usage, cached);
  return *limit - std::min(*limit, used);
}

// A line of /proc/self/cgroup is "hierarchy:controllers:path"; version 2 names no controllers. In a
// container the path may not exist below the mount: walking up ends at the mount in any case.
std::uint64_t cgroup_bytes(const std::string& root) {
  std::uint64_t least = no_limit;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && controllers != "memory") continue;
    const auto& files = controllers.empty() ? version_2 : version_1;
    auto path = line.substr(second + 1);
    while (true) {
      least = std::min(least, bytes_left_in(root + std::string(files.mount) + path, files));
      if (path.empty()) break;
      path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
  }
  return least;
}

std::uint64_t address_space_bytes(const std::string& root) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  const auto kibibytes = read_field(root + "/proc/self/status", "VmSize:");
  const std::uint64_t used = kibibytes.value_or(0) * 1024;
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::uint64_t available_memory_bytes(const std::string& root) {
  return std::min({machine_bytes(root), cgroup_bytes(root), address_space_bytes(root)});
}

void require_memory(std::string_view what, std::uint64_t bytes) {
  const auto available = available_memory_bytes();
  if (bytes <= available - available / 16) return;
  throw resource_error(fmt::format("{} needs {} of memory, and {} are available", what,
                                   readable_bytes(bytes), readable_bytes(available)));
}

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? no_limit : product;
}

std::string readable_bytes(std::uint64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace heist::workloads
