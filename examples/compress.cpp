// A pipeline that compresses a file: blocks are read in order, deflated on all workers, and written
// in order. Each block becomes a gzip member of its own, so gunzip understands the resulting file.
// At most 16 blocks are in memory at the same time. The command is `example_compress IN OUT.gz`;
// without names it makes up a text, and removes the files afterwards.
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <heist/heist.hpp>
#include <heist/pipeline.hpp>

namespace {

using bytes = std::vector<unsigned char>;
struct closing {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using file = std::unique_ptr<std::FILE, closing>;

file opened(std::FILE* f) {
  if (f == nullptr)
    throw std::system_error(errno, std::generic_category(), "a file can't be opened");
  return file(f);
}

std::optional<bytes> read_block(std::FILE* in) {
  bytes block(128 * 1024);
  block.resize(std::fread(block.data(), 1, block.size(), in));
  return block.empty() ? std::nullopt : std::optional(std::move(block));
}

bytes deflated(bytes block) {
  z_stream z{};
  constexpr int gzip = 15 + 16;  // the largest window, with gzip's header
  if (deflateInit2(&z, 6, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  bytes packed(deflateBound(&z, block.size()));
  z.next_in = block.data();
  z.avail_in = unsigned(block.size());
  z.next_out = packed.data();
  z.avail_out = unsigned(packed.size());
  deflate(&z, Z_FINISH);
  packed.resize(z.total_out);
  deflateEnd(&z);
  return packed;
}

void write_block(std::FILE* out, const bytes& b) {
  if (std::fwrite(b.data(), 1, b.size(), out) != b.size()) throw std::runtime_error("can't write");
}

file made_up_text() {
  file text = opened(std::tmpfile());
  for (int i = 0; i < 200'000; ++i)
    std::fprintf(text.get(), "line %d: %d bottles of beer\n", i, i * 7919 % 1000);
  std::rewind(text.get());
  return text;
}

// Whether gunzip, which is serial, restores the original.
bool inflates_to(std::FILE* packed, std::FILE* original) {
  std::fflush(packed);
  lseek(fileno(packed), 0, SEEK_SET);
  std::rewind(original);
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> z(gzdopen(dup(fileno(packed)), "rb"), &gzclose);
  for (bytes a(64 * 1024), b(64 * 1024);;) {
    const int n = gzread(z.get(), a.data(), unsigned(a.size()));
    const std::size_t m = std::fread(b.data(), 1, b.size(), original);
    if (n < 0 || std::size_t(n) != m || !std::equal(b.begin(), b.begin() + n, a.begin()))
      return false;
    if (n == 0) return true;
  }
}

}  // namespace

int main(int count, char** names) {
  const file in = count == 3 ? opened(std::fopen(names[1], "rb")) : made_up_text();
  const file out = opened(count == 3 ? std::fopen(names[2], "w+b") : std::tmpfile());
  const auto blocks =
      heist::make_pipeline([&] { return read_block(in.get()); },  // in order, as it is the source
                           heist::in_parallel(&deflated),
                           heist::in_order([&](const bytes& b) { write_block(out.get(), b); }))
          .run({.tokens = 16});
  const long before = std::ftell(in.get());
  const long after = std::ftell(out.get());
  const bool is_same = inflates_to(out.get(), in.get());
  std::printf("%ld bytes in %d blocks become %ld; inflating gives %s\n", before, int(blocks), after,
              is_same ? "the same bytes" : "OTHER BYTES");
  return is_same ? 0 : 1;
}
