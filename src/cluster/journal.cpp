#include "cluster/journal.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "platform/new_file.hpp"

namespace heist::inline v0::cluster {

namespace {

// The last digit is the version of the format.
constexpr std::string_view magic = "heist journal 1\n";

// FNV-1a (Fowler, Noll, Vo): against disks and editors, not against adversaries.
std::uint64_t checksum(std::span<const std::byte> of) {
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const std::byte each : of) sum = (sum ^ static_cast<std::uint64_t>(each)) * 0x100000001b3U;
  return sum;
}

std::string_view text_of(std::span<const std::byte> of) {
  return {reinterpret_cast<const char*>(of.data()), of.size()};
}

bytes read_file(const std::string& path) {
  const auto refuse = [&path] {
    throw resource_error(path + ": can't be read: " + std::strerror(errno));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                             &std::fclose);
  if (!file) refuse();
  bytes content;
  bytes block(std::size_t{1} << 16);
  while (const auto count = std::fread(block.data(), 1, block.size(), file.get()))
    content.insert(content.end(), block.begin(),
                   block.begin() + static_cast<std::ptrdiff_t>(count));
  if (std::ferror(file.get()) != 0) refuse();
  return content;
}

}  // namespace

void write_journal(const std::string& path, const std::string& run, const snapshot& what) {
  bytes content;
  wire_writer to(content);
  to.put_bytes(magic.data(), magic.size()).put(run).put(what.epoch).put(what.bags);
  to.put(checksum(content));
  platform::new_file file(path);
  file.write(text_of(content));
  file.sync();
  if (!file.finish()) throw resource_error(path + ": can't be written: " + std::strerror(errno));
}

snapshot read_journal(const std::string& path, const std::string& run) {
  const auto content = read_file(path);
  const std::span<const std::byte> all(content);
  if (!text_of(all).starts_with(magic))
    throw usage_error(path + ": this is no journal of this version of heist");
  try {
    constexpr auto sum_bytes = sizeof(std::uint64_t);
    if (all.size() < magic.size() + sum_bytes) throw wire_error("it ends too early");
    const auto text = all.first(all.size() - sum_bytes);
    if (wire_reader(all.last(sum_bytes)).get<std::uint64_t>() != checksum(text))
      throw wire_error("its checksum differs");
    wire_reader from(text.subspan(magic.size()));
    if (const auto of = from.get<std::string>(); of != run)
      throw usage_error(path + ": this is the journal of '" + of + "', not of '" + run + "'");
    snapshot result;
    result.epoch = from.get<std::uint32_t>();
    result.bags = from.get<std::vector<bytes>>();
    from.finish();
    return result;
  } catch (const wire_error& e) {
    throw usage_error(path + ": the journal is damaged: " + e.what());
  }
}

}  // namespace heist::inline v0::cluster
