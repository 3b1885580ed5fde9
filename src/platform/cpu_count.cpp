// Finding the quota: which cgroup is ours in each hierarchy (/proc/self/cgroup), where that
// hierarchy is mounted (/proc/self/mountinfo), then the files of that directory and of every parent
// up to the mount point.
//
// The two paths don't simply add up. A mount may show only a subtree (its "root" field): in a
// container /proc/self/cgroup may say /docker/1234 while /docker/1234 itself is mounted at
// /sys/fs/cgroup, so the root is taken off the front of the path first. With cgroup namespaces the
// path is relative to the namespace, and may begin with /.. for a process that was moved out of it.
// Where no mount of a hierarchy contains our path, the mount point itself is the best there is.
#include "cpu_count.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "machine_load.hpp"
#include "nodes.hpp"

namespace heist::inline v0::platform {

namespace {

struct mount {
  std::string root;   // the part of the file system that is shown
  std::string point;  // where
  std::string type;
  std::string options;  // the file system's own: for cgroup version 1 the controllers
};

struct quota_found {
  std::optional<double> cpus;
  std::string source;
};

// Empty if it can't be read. Not by an ifstream: libstdc++'s throws when the path is a folder.
std::string read_text(const std::string& path) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "re"), close);
  std::string text;
  if (file == nullptr) return text;
  std::array<char, 4096> block;
  while (const std::size_t length = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), length);
  }
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool contains(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// mountinfo writes space, tab, newline and backslash as a backslash and three octal digits.
std::string unescape(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// "36 35 98:0 /root /point rw,noatime shared:1 - cgroup cgroup rw,cpu": optional fields end at "-".
std::optional<mount> parse_mount(std::string_view line) {
  const std::vector<std::string_view> words = split(line, ' ');
  const auto dash = std::find(words.begin(), words.end(), "-");
  if (dash - words.begin() < 6 || words.end() - dash < 4) return std::nullopt;
  return mount{unescape(words[3]), unescape(words[4]), std::string(dash[1]), std::string(dash[3])};
}

// What is left of `path` below `root`; nullopt if it isn't below it.
std::optional<std::string> below(std::string_view path, std::string_view root) {
  if (contains(split(path, '/'), "..")) return std::nullopt;
  while (root.ends_with('/')) root.remove_suffix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  if (!path.empty() && path.front() != '/') return std::nullopt;
  return std::string(path);
}

std::optional<double> parse_number(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  long long value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return static_cast<double>(value);
}

std::optional<double> ratio(std::optional<double> quota, std::optional<double> period) {
  if (!quota || !period) return std::nullopt;
  return *quota / *period;
}

// One directory's own quota: cpu.max is "max 100000" or "150000 100000"; version 1's quota is -1
// where there is none.
quota_found quota_of(const std::string& directory, const std::string& type) {
  if (type == "cgroup2") {
    const std::string file = directory + "/cpu.max";
    const std::string text = read_text(file);
    const std::vector<std::string_view> words = split(text, ' ');
    if (words.size() != 2) return {};
    return {ratio(parse_number(words[0]), parse_number(words[1])), file};
  }
  const std::string file = directory + "/cpu.cfs_quota_us";
  return {ratio(parse_number(read_text(file)),
                parse_number(read_text(directory + "/cpu.cfs_period_us"))),
          file};
}

void keep_tighter(quota_found& best, quota_found other) {
  if (other.cpus && (!best.cpus || *other.cpus < *best.cpus)) best = std::move(other);
}

// The tightest quota from `point` + `rest` up to `point`.
void search_upwards(quota_found& best, const std::string& point, std::string rest,
                    const std::string& type) {
  while (true) {
    keep_tighter(best, quota_of(point + rest, type));
    if (rest.empty()) return;
    const std::size_t last = rest.rfind('/');
    rest.resize(last == std::string::npos ? 0 : last);
  }
}

// One line of /proc/self/cgroup, "4:cpu,cpuacct:/path" or "0::/path", against all mounts.
void search_hierarchy(quota_found& best, std::string_view line, const std::vector<mount>& mounts,
                      const std::string& prefix) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos) return;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const std::string_view path = line.substr(second + 1);
  const bool unified = controllers.empty() && line.substr(0, first) == "0";
  if (!unified && !contains(split(controllers, ','), "cpu")) return;

  const mount* partial = nullptr;
  bool found = false;
  for (const mount& candidate : mounts) {
    const bool ours =
        unified ? candidate.type == "cgroup2"
                : candidate.type == "cgroup" && contains(split(candidate.options, ','), "cpu");
    if (!ours) continue;
    if (const auto rest = below(path, candidate.root)) {
      search_upwards(best, prefix + candidate.point, *rest, candidate.type);
      found = true;
    } else if (partial == nullptr) {
      partial = &candidate;
    }
  }
  if (!found && partial != nullptr) {
    search_upwards(best, prefix + partial->point, "", partial->type);
  }
}

quota_found find_quota(const cpu_sources& sources) {
  std::vector<mount> mounts;
  const std::string mount_text = read_text(sources.proc_root + "/self/mountinfo");
  for (const std::string_view line : split(mount_text, '\n')) {
    if (auto parsed = parse_mount(line)) mounts.push_back(std::move(*parsed));
  }
  quota_found best;
  const std::string cgroup_text = read_text(sources.proc_root + "/self/cgroup");
  for (const std::string_view line : split(cgroup_text, '\n')) {
    search_hierarchy(best, line, mounts, sources.mount_prefix);
  }
  return best;
}

}  // namespace

unsigned machine_cpus() noexcept {
  return static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

cpu_limits find_cpu_limits(const cpu_sources& sources) {
  cpu_limits limits{};
  limits.affinity = static_cast<int>(affinity_cpus().size());
  if (limits.affinity == 0) {
    limits.affinity = static_cast<int>(machine_cpus());
  }
  limits.workers = limits.affinity;
  const quota_found quota = find_quota(sources);
  if (quota.cpus) {
    limits.quota = quota.cpus;
    limits.quota_source = quota.source;
    // Compared as doubles: a quota may be larger than any int.
    if (std::ceil(*quota.cpus) < limits.workers) {
      limits.workers = std::max(1, static_cast<int>(std::ceil(*quota.cpus)));
    }
  }
  return limits;
}

std::vector<int> affinity_cpus(std::size_t first_guess_cpus) {
  constexpr std::size_t most_cpus = std::size_t{1} << 20;  // Linux knows of 8,192 today
  const auto free_set = [](cpu_set_t* set) { CPU_FREE(set); };
  for (std::size_t cpus = std::max<std::size_t>(first_guess_cpus, 1); cpus <= most_cpus;
       cpus *= 2) {
    const std::unique_ptr<cpu_set_t, decltype(free_set)> set(CPU_ALLOC(cpus), free_set);
    if (set == nullptr) throw std::bad_alloc();
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(bytes, set.get());
    if (::sched_getaffinity(0, bytes, set.get()) != 0) {
      if (errno != EINVAL) break;
      continue;  // the kernel's mask is larger than ours
    }
    std::vector<int> members;
    for (std::size_t cpu = 0; cpu < bytes * 8; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set.get())) members.push_back(static_cast<int>(cpu));
    }
    return members;
  }
  return {};
}

// ---- machine_load.hpp

namespace {

constexpr double least_seconds = 0.5;

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

// Seconds for which these processors ran anything, what a hypervisor took among them.
std::optional<double> busy_seconds(const std::vector<int>& cpus) {
  std::ifstream file("/proc/stat");
  double ticks = 0;
  std::size_t seen = 0;
  for (std::string line; std::getline(file, line);) {
    int cpu = -1;
    unsigned long long user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0,
                       steal = 0;
    if (std::sscanf(line.c_str(), "cpu%d %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &user,
                    &nice, &system, &idle, &wait, &irq, &soft, &steal) < 8)
      continue;
    if (!std::binary_search(cpus.begin(), cpus.end(), cpu)) continue;
    ++seen;
    ticks += static_cast<double>(user + nice + system + irq + soft + steal);
  }
  if (seen == 0) return std::nullopt;
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

// Of this process, and of those that it has waited for.
std::optional<double> own_seconds() {
  double sum = 0;
  for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    if (::getrusage(whose, &used) != 0) return std::nullopt;
    sum += seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  }
  return sum;
}

}  // namespace

machine_load::machine_load()
    : cpus_(affinity_cpus()),
      begin_ns_(now_ns()),
      busy_(busy_seconds(cpus_)),
      own_(own_seconds()) {}

std::optional<double> machine_load::of_others() const {
  const double passed = static_cast<double>(now_ns() - begin_ns_) * 1e-9;
  const std::optional<double> busy = busy_seconds(cpus_);
  const std::optional<double> own = own_seconds();
  if (!busy_ || !own_ || !busy || !own || passed < least_seconds) return std::nullopt;
  const double of_others = (*busy - *busy_) - (*own - *own_);
  return std::clamp(of_others / (passed * static_cast<double>(cpus_.size())), 0.0, 1.0);
}

// ---- nodes.hpp

namespace {

// Set before pools are made, and read when they are.
std::vector<numa_node>& nodes_for_test() {
  static std::vector<numa_node> nodes;
  return nodes;
}

// "0-3,8,10-11" as the numbers that it stands for; empty where it is something else.
std::vector<int> parse_list(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::vector<int> numbers;
  if (text.empty()) return numbers;
  for (const std::string_view part : split(text, ',')) {
    int first = 0;
    const char* const end = part.data() + part.size();
    auto read = std::from_chars(part.data(), end, first);
    int last = first;
    if (read.ec == std::errc{} && read.ptr != end && *read.ptr == '-')
      read = std::from_chars(read.ptr + 1, end, last);
    constexpr int most = 1 << 20;
    if (read.ec != std::errc{} || read.ptr != end || first < 0 || last < first || last > most)
      return {};
    for (int number = first; number <= last; ++number) numbers.push_back(number);
  }
  return numbers;
}

// For mbind(2), of which glibc has no declaration.
constexpr int interleave_policy = 3;
constexpr std::size_t most_nodes = 1024;

}  // namespace

std::vector<numa_node> usable_nodes(const std::string& folder) {
  if (!nodes_for_test().empty()) return nodes_for_test();
  const std::vector<int> allowed = affinity_cpus();
  std::vector<numa_node> nodes;
  for (const int number : parse_list(read_text(folder + "/has_cpu"))) {
    numa_node node{number, {}};
    for (const int cpu :
         parse_list(read_text(folder + "/node" + std::to_string(number) + "/cpulist")))
      if (std::binary_search(allowed.begin(), allowed.end(), cpu)) node.cpus.push_back(cpu);
    if (!node.cpus.empty()) nodes.push_back(std::move(node));
  }
  if (nodes.empty()) nodes.push_back({0, allowed});
  return nodes;
}

void set_nodes_for_test(std::vector<numa_node> nodes) { nodes_for_test() = std::move(nodes); }

int node_of_page(const void* address) noexcept {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto* where = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) & ~(page - 1));
  int node = -1;
  const int before = errno;
  // Without a list of nodes it moves nothing, and tells where the page is, or a negative error.
  const long failed = ::syscall(SYS_move_pages, 0, 1UL, &where, nullptr, &node, 0);
  errno = before;
  return failed == 0 && node >= 0 ? node : -1;
}

void* allocate_interleaved(std::size_t bytes) noexcept try {
  std::array<unsigned long, most_nodes / (8 * sizeof(unsigned long))> mask{};
  const std::vector<int> with_memory = parse_list(read_text("/sys/devices/system/node/has_memory"));
  for (const int number : with_memory) {
    const auto node = static_cast<std::size_t>(number);
    if (node < most_nodes)
      mask[node / (8 * sizeof(unsigned long))] |= 1UL << node % (8 * sizeof(unsigned long));
  }
  void* const p = ::mmap(nullptr, std::max<std::size_t>(bytes, 1), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  if (with_memory.size() > 1)
    static_cast<void>(
        ::syscall(SYS_mbind, p, bytes, interleave_policy, mask.data(), most_nodes + 1, 0));
  return p;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void free_interleaved(void* p, std::size_t bytes) noexcept {
  ::munmap(p, std::max<std::size_t>(bytes, 1));
}

}  // namespace heist::inline v0::platform
