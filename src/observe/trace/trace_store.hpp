// Where a trace's bytes are while it is recorded (trace/stored.hpp has the layout): in a file, part
// by part as memory of this process, so that they outlive it however it ends; or in memory.
//
// A chunk that a thread fills is the thread's: it alone adds to it, and keeps the memory until it
// has another chunk, even if the trace has ended meanwhile. So nobody has to wait for a thread that
// is slow to see the end. The rest is called under the lock of tracing.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/log.hpp"
#include "trace/stored.hpp"

namespace heist::inline v0::detail {

// Kept by the thread that adds to it.
using kept_chunk = std::shared_ptr<trace::chunk_head>;

class trace_store final : public trace::byte_source {
 public:
  // In memory if there is no path, or the path is of something that can't be mapped (a pipe, an
  // output of this process). Throws resource_error if the file can't be made.
  explicit trace_store(const std::string& path);
  ~trace_store() override;
  trace_store(const trace_store&) = delete;
  trace_store& operator=(const trace_store&) = delete;

  [[nodiscard]] bool is_file() const noexcept { return file_ >= 0; }
  // The unfinished file's name; empty in memory.
  [[nodiscard]] const std::string& path() const noexcept { return aside_; }
  [[nodiscard]] trace::stored_head& head() noexcept { return *head_; }

  // A place of its own for a chunk. False, with errno: there is no room.
  [[nodiscard]] bool take(trace::chunk_head head, std::uint64_t& at) noexcept;
  // The chunk at that place as memory of this process; nullptr, with errno: it can't be had.
  // Without the lock, if it is in a file: the system may take its time to find the pages.
  [[nodiscard]] kept_chunk open(std::uint64_t at, std::size_t bytes) const noexcept;
  // False, with errno: there is no room.
  bool add_text(trace::text_head head, std::string_view text) noexcept;
  // Nothing is taken from now on.
  void end(trace::ending how) noexcept;
  // The file, under its name in place of an older one. Throws resource_error.
  void rename_to(const std::string& path);
  // Removes the unfinished file when this goes.
  void discard() noexcept { is_kept_ = false; }

  [[nodiscard]] std::uint64_t size() const override;
  void read(std::uint64_t at, void* to, std::size_t bytes) const override;

 private:
  // In memory.
  struct piece {
    std::uint64_t at;
    std::size_t bytes;
    std::shared_ptr<std::uint64_t[]> words;
  };
  void create(const std::string& path);
  [[nodiscard]] bool reserve(std::uint64_t end) noexcept;
  [[nodiscard]] std::shared_ptr<char> part(std::uint64_t at, std::size_t bytes) const noexcept;
  [[nodiscard]] bool add_piece(std::uint64_t at, std::size_t bytes) noexcept;

  unsigned process_;  // its generation: in a forked child nothing of this is mapped
  int file_ = -1;
  std::string aside_;
  bool is_kept_ = true;
  std::uint64_t reserved_ = 0;
  std::vector<piece> pieces_;
  std::shared_ptr<trace::stored_head> head_;
  kept_chunk texts_;
};

}  // namespace heist::inline v0::detail
