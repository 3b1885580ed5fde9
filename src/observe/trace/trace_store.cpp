#include "observe/trace/trace_store.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "heist/error.hpp"
#include "platform/file_calls.hpp"
#include "platform/process.hpp"

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
