#include "observe/trace/trace_store.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "heist/error.hpp"
#include "heist/pool.hpp"
#include "observe/trace/tracing.hpp"
#include "platform/file_calls.hpp"
#include "platform/new_file.hpp"
#include "platform/once.hpp"
#include "platform/process.hpp"
#include "runtime/core/environment.hpp"
#include "trace/stored.hpp"
#include "trace/write.hpp"

namespace heist::inline v0::detail {

namespace {

using trace::chunk_head;

constexpr std::uint64_t first_reserve = std::uint64_t{1} << 20U;
constexpr std::uint64_t most_reserve = std::uint64_t{64} << 20U;

[[noreturn]] void fail(const std::string& path) {
  throw resource_error("can't write " + path + ": " + std::strerror(errno));
}

bool can_be_mapped(const std::string& path) {
  using std::filesystem::file_type;
  std::error_code ignored;
  const file_type type = std::filesystem::status(path, ignored).type();
  return type == file_type::not_found || type == file_type::none ||
         (type == file_type::regular && !platform::is_own_output(path.c_str()));
}

}  // namespace

trace_store::trace_store(const std::string& path) : process_(platform::process_generation()) {
  if (!path.empty() && can_be_mapped(path)) create(path);
  if (is_file() && !reserve(trace::head_bytes)) {
    const int error = errno;
    discard();
    platform::close_growing_file(file_);
    std::filesystem::remove(aside_);
    errno = error;
    fail(path);
  }
  if (!is_file() && !add_piece(0, trace::head_bytes)) throw std::bad_alloc();
  const std::shared_ptr<char> head = part(0, trace::head_bytes);
  if (head == nullptr) throw std::bad_alloc();
  head_ = {head, reinterpret_cast<trace::stored_head*>(head.get())};
  std::copy(trace::stored_magic.begin(), trace::stored_magic.end(), head_->magic);
  head_->version = trace::stored_version;
  head_->used = trace::head_bytes;
}

// As platform::new_file names its files.
void trace_store::create(const std::string& path) {
  std::error_code is_new;
  const std::filesystem::path older = std::filesystem::canonical(path, is_new);
  const std::string target = is_new ? path : older.string();
  constexpr int most_names = 100;
  for (int n = 0; n < most_names && file_ < 0; ++n) {
    aside_ = target + ".partial-" + std::to_string(platform::process_number());
    if (n != 0) aside_ += "-" + std::to_string(n);
    file_ = platform::create_growing_file(aside_.c_str());
    if (file_ < 0 && errno == ENOSYS) return aside_.clear();  // in memory, on such a system
    if (file_ < 0 && errno != EEXIST) fail(path);
  }
  if (file_ < 0) fail(path);
  if (is_new) return;
  std::error_code ignored;
  std::filesystem::permissions(aside_, std::filesystem::status(older, ignored).permissions(),
                               ignored);
}

trace_store::~trace_store() {
  if (!is_file()) return;
  platform::close_growing_file(file_);
  std::error_code ignored;
  if (!is_kept_ && process_ == platform::process_generation())
    std::filesystem::remove(aside_, ignored);
}

bool trace_store::reserve(std::uint64_t end) noexcept {
  if (end <= reserved_) return true;
  const std::uint64_t step = std::clamp(reserved_, first_reserve, most_reserve);
  const std::uint64_t wanted = std::max(end, reserved_ + step);
  // On a disk that is nearly full less may fit.
  for (const std::uint64_t to : {wanted, end})
    if (platform::reserve_in_file(file_, reserved_, to - reserved_)) {
      reserved_ = to;
      return true;
    }
  return false;
}

bool trace_store::add_piece(std::uint64_t at, std::size_t bytes) noexcept {
  try {
    pieces_.push_back(
        {at, bytes, std::shared_ptr<std::uint64_t[]>(new std::uint64_t[bytes / 8]())});
    return true;
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return false;
  }
}

std::shared_ptr<char> trace_store::part(std::uint64_t at, std::size_t bytes) const noexcept {
  if (!is_file()) {
    const auto p = std::lower_bound(pieces_.begin(), pieces_.end(), at,
                                    [](const piece& x, std::uint64_t y) { return x.at < y; });
    return {p->words, reinterpret_cast<char*>(p->words.get())};
  }
  void* const memory = platform::map_part_of_file(file_, at, bytes);
  if (memory == nullptr) return nullptr;
  try {
    return {static_cast<char*>(memory), [bytes, process = process_](char* p) {
              if (process == platform::process_generation()) platform::unmap_part_of_file(p, bytes);
            }};
  } catch (const std::bad_alloc&) {  // it has been unmapped
    errno = ENOMEM;
    return nullptr;
  }
}

bool trace_store::take(trace::chunk_head head, std::uint64_t& at) noexcept {
  at = head_->used;
  if (is_file()) {
    if (!reserve(at + head.bytes) || !platform::write_to_file(file_, at, &head, sizeof(head)))
      return false;
  } else {
    if (!add_piece(at, head.bytes)) return false;
    std::memcpy(pieces_.back().words.get(), &head, sizeof(head));
  }
  // Release: the one that reads the file meanwhile finds the chunk's head.
  __atomic_store_n(&head_->used, at + head.bytes, __ATOMIC_RELEASE);
  return true;
}

kept_chunk trace_store::open(std::uint64_t at, std::size_t bytes) const noexcept {
  const std::shared_ptr<char> memory = part(at, bytes);
  if (memory == nullptr) return nullptr;
  return {memory, reinterpret_cast<chunk_head*>(memory.get())};
}

bool trace_store::add_text(trace::text_head head, std::string_view text) noexcept {
  head.bytes = static_cast<std::uint32_t>(text.size());
  const std::size_t bytes = sizeof(head) + trace::padded(text.size());
  if (texts_ == nullptr || trace::chunk_room(texts_->bytes) - texts_->used < bytes) {
    const std::size_t wanted = bytes + sizeof(chunk_head);
    const std::size_t whole =
        (wanted + trace::least_chunk - 1) / trace::least_chunk * trace::least_chunk;
    std::uint64_t at = 0;
    if (!take({static_cast<std::uint32_t>(trace::chunk_kind::texts),
               static_cast<std::uint32_t>(whole), 0, 0, 0},
              at))
      return false;
    texts_ = open(at, whole);
    if (texts_ == nullptr) return false;
  }
  char* const to = reinterpret_cast<char*>(texts_.get() + 1) + texts_->used;
  std::memcpy(to, &head, sizeof(head));
  std::copy(text.begin(), text.end(), to + sizeof(head));
  __atomic_store_n(&texts_->used, texts_->used + static_cast<std::uint32_t>(bytes),
                   __ATOMIC_RELEASE);
  return true;
}

void trace_store::end(trace::ending how) noexcept {
  head_->end = static_cast<std::uint32_t>(how);
  if (is_file()) static_cast<void>(platform::shorten_file(file_, head_->used));
}

void trace_store::rename_to(const std::string& path) {
  std::error_code is_new;
  const std::filesystem::path older = std::filesystem::canonical(path, is_new);
  const std::string target = is_new ? path : older.string();
  if (!platform::replace_file(aside_.c_str(), target.c_str())) fail(path);
}

std::uint64_t trace_store::size() const { return head_->used; }

// Threads may be adding to their chunks. Acquire: partner is the release with which they count.
void trace_store::read(std::uint64_t at, void* to, std::size_t bytes) const {
  if (is_file()) {
    if (!platform::read_from_file(file_, at, to, bytes))
      throw resource_error("can't read " + aside_ + ": " + std::strerror(errno));
    return;
  }
  auto* place = static_cast<char*>(to);
  auto p = std::upper_bound(pieces_.begin(), pieces_.end(), at,
                            [](std::uint64_t x, const piece& y) { return x < y.at; });
  for (--p; bytes != 0; ++p) {
    const std::size_t begin = at - p->at;
    const std::size_t part = std::min(bytes, p->bytes - begin);
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < part; i += std::min(part - i, 8 - (begin + i) % 8)) {
      word = __atomic_load_n(&p->words[(begin + i) / 8], __ATOMIC_ACQUIRE);
      const std::size_t within = (begin + i) % 8;
      std::memcpy(place + i, reinterpret_cast<const char*>(&word) + within,
                  std::min(part - i, 8 - within));
    }
    place += part;
    at += part;
    bytes -= part;
  }
}

}  // namespace heist::inline v0::detail

// ----
// The file of a trace: of a pool (pool::stop_trace), or of the whole process from the first pool
// on, written at the exit (HEIST_TRACE).

namespace heist::inline v0::detail {

namespace {

constexpr std::string_view json_ending = ".json";
constexpr std::string_view binary_ending = ".htrace";

// Of the whole process; never destroyed, since it is used at the exit.
struct trace_at_exit {
  std::string path;
  unsigned process = 0;  // its generation
};
constinit trace_at_exit* wanted = nullptr;
constinit platform::once_flag wanted_is_known;

class file_sink final : public trace::sink {
 public:
  explicit file_sink(platform::new_file& to) : to_(to) {}
  void write(std::string_view bytes) override { to_.write(bytes); }

 private:
  platform::new_file& to_;
};

void write_at_exit() {
  if (wanted->process != platform::process_generation()) return;
  try {
    write_trace(tracing::stop(nullptr), wanted->path);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heist: HEIST_TRACE: %s\n", e.what());
  }
}

// A child of fork() has a file of its own, whatever the name says.
std::string path_here(std::string path) {
  if (platform::process_generation() == 0) return path;
  const std::string number = std::to_string(platform::process_number());
  return path.find(number) != std::string::npos ? path : path.insert(path.rfind('.'), "-" + number);
}

void write_json(const std::shared_ptr<trace_store>& recorded, platform::new_file& to) {
  const trace::log all = trace::read_stored(recorded, "the recording");
  if (const std::uint64_t bytes = all.event_count() * trace::json_event_bytes;
      bytes > trace::surprising_bytes)
    std::fprintf(stderr,
                 "heist: a trace of %.1f million events takes %.1f GB as JSON; a name that ends in "
                 ".htrace takes a sixth\n",
                 static_cast<double>(all.event_count()) * 1e-6, static_cast<double>(bytes) * 1e-9);
  file_sink sink(to);
  trace::write_chrome_json(all, sink);
}

void write_bytes(const trace_store& recorded, platform::new_file& to) {
  std::vector<char> part(trace::most_chunk);
  for (std::uint64_t at = 0; at < recorded.size();) {
    const std::size_t n = std::min<std::uint64_t>(part.size(), recorded.size() - at);
    recorded.read(at, part.data(), n);
    to.write({part.data(), n});
    at += n;
  }
}

}  // namespace

void check_trace_name(const std::string& what, const std::string& path) {
  if (!path.ends_with(json_ending) && !path.ends_with(binary_ending))
    throw usage_error(what + path + ": must be a file name that ends in .json or .htrace");
}

void write_trace(const stopped_trace& recorded, const std::string& path) {
  trace_store& store = *recorded.store;
  if (store.is_file() && path.ends_with(binary_ending)) return store.rename_to(path);
  platform::new_file file(path);
  if (path.ends_with(json_ending))
    write_json(recorded.store, file);
  else
    write_bytes(store, file);
  if (file.finish()) return store.discard();
  const std::string why = std::strerror(errno);
  throw resource_error("can't write " + path + ": " + why +
                       (store.is_file() ? "; the recording is in " + store.path() : ""));
}

void trace_from_environment() {
  const auto begin = [] {
    const trace_settings settings = trace_settings_from_environment();
    if (settings.file.empty()) return;
    check_trace_name("HEIST_TRACE=", settings.file);
    tracing::leave_trace_of_parent();
    // A program that records one itself has the first word.
    if (notes::is_traced()) return;
    const std::string path = path_here(settings.file);
    auto* const made = new trace_at_exit{path, platform::process_generation()};
    try {
      tracing::start(nullptr, settings.events, settings.is_in_memory ? "" : path);
    } catch (const resource_error& e) {
      delete made;
      std::fprintf(stderr, "heist: HEIST_TRACE: %s\n", e.what());
      return;
    }
    const bool is_first = wanted == nullptr;
    wanted = made;
    if (!is_first) return;  // of a child: its parent's handlers are there
    static_cast<void>(std::atexit(&write_at_exit));
#if defined(__linux__)  // neither mingw-w64 nor macOS has it
    static_cast<void>(std::at_quick_exit(&write_at_exit));
#endif
  };
  static constinit std::atomic<unsigned> child{0};
  wanted_is_known.call(begin);
  // A child of fork() begins a trace of its own when it makes its first pool.
  const unsigned here = platform::process_generation();
  if (wanted != nullptr && wanted->process != here &&
      child.exchange(here, std::memory_order_relaxed) != here)
    begin();
}

}  // namespace heist::inline v0::detail

namespace heist::inline v0 {

void pool::start_trace(std::size_t events) { detail::tracing::start(impl_.get(), events, ""); }

void pool::start_trace(const std::string& path, std::size_t events) {
  detail::check_trace_name("start_trace: ", path);
  detail::tracing::start(impl_.get(), events, path);
}

void pool::stop_trace(const std::string& path) {
  detail::check_trace_name("stop_trace: ", path);
  detail::write_trace(detail::tracing::stop(impl_.get()), path);
}

}  // namespace heist::inline v0
