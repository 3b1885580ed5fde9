// SHA-1 (FIPS 180-4) for the two lengths that the tree search hashes: 20 bytes for a root, 24 for a
// child. Both fit one block, so there is no buffer and no loop over blocks. The message is five or
// six big-endian words from the start, and is never handled as bytes.

#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace heist::workloads {

using sha1_digest = std::array<std::uint32_t, 5>;

namespace sha1_detail {

constexpr std::uint32_t choose(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return d ^ (b & (c ^ d));
}
constexpr std::uint32_t parity(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return b ^ c ^ d;
}
constexpr std::uint32_t majority(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return (b & c) | (d & (b | c));
}

// The schedule of 80 words is a ring of 16: each word is replaced after its last use.
struct schedule {
  std::array<std::uint32_t, 16> ring;

  constexpr std::uint32_t word(unsigned step) {
    if (step >= 16)
      ring[step % 16] = std::rotl(
          ring[(step + 13) % 16] ^ ring[(step + 8) % 16] ^ ring[(step + 2) % 16] ^ ring[step % 16],
          1);
    return ring[step % 16];
  }
};

// Makes twenty steps with one function and constant, five in each turn, so that no variable moves.
template <class Function>
[[gnu::always_inline]] constexpr void twenty_steps(sha1_digest& v, schedule& words, unsigned first,
                                                   std::uint32_t constant, Function function) {
  const auto step = [&](unsigned i, std::uint32_t a, std::uint32_t& b, std::uint32_t c,
                        std::uint32_t d, std::uint32_t& e) {
    e += std::rotl(a, 5) + function(b, c, d) + constant + words.word(i);
    b = std::rotl(b, 30);
  };
#pragma GCC unroll 4
  for (unsigned i = first; i < first + 20; i += 5) {
    step(i, v[0], v[1], v[2], v[3], v[4]);
    step(i + 1, v[4], v[0], v[1], v[2], v[3]);
    step(i + 2, v[3], v[4], v[0], v[1], v[2]);
    step(i + 3, v[2], v[3], v[4], v[0], v[1]);
    step(i + 4, v[1], v[2], v[3], v[4], v[0]);
  }
}

}  // namespace sha1_detail

// `block` is the whole padded message.
constexpr sha1_digest sha1_of_block(const std::array<std::uint32_t, 16>& block) {
  constexpr sha1_digest start = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  sha1_digest v = start;
  sha1_detail::schedule words{block};
  sha1_detail::twenty_steps(v, words, 0, 0x5a827999, sha1_detail::choose);
  sha1_detail::twenty_steps(v, words, 20, 0x6ed9eba1, sha1_detail::parity);
  sha1_detail::twenty_steps(v, words, 40, 0x8f1bbcdc, sha1_detail::majority);
  sha1_detail::twenty_steps(v, words, 60, 0xca62c1d6, sha1_detail::parity);
  for (unsigned i = 0; i < 5; ++i) v[i] += start[i];
  return v;
}

// Hashes of five and of six words, each padded with a one bit, zeros and the length in bits.
constexpr sha1_digest sha1_of_20_bytes(const sha1_digest& words) {
  return sha1_of_block({words[0], words[1], words[2], words[3], words[4], 0x80000000, 0, 0, 0, 0, 0,
                        0, 0, 0, 0, 160});
}

constexpr sha1_digest sha1_of_24_bytes(const sha1_digest& words, std::uint32_t sixth) {
  return sha1_of_block({words[0], words[1], words[2], words[3], words[4], sixth, 0x80000000, 0, 0,
                        0, 0, 0, 0, 0, 0, 192});
}

}  // namespace heist::workloads
