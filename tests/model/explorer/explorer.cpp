#include "tests/model/explorer/explorer.hpp"

namespace heist_explorer {

namespace {

constexpr std::size_t first_places = std::size_t{1} << 12;

std::uint64_t folded_product(std::uint64_t x, std::uint64_t y) {
  __extension__ using wide = unsigned __int128;
  const wide product = static_cast<wide>(x) * y;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

void hasher::add(const void* bytes, std::size_t size) {
  const char* from = static_cast<const char*>(bytes);
  for (; size >= 8; size -= 8, from += 8) {
    std::uint64_t word;
    std::memcpy(&word, from, 8);
    mix(word);
  }
  if (size == 0) return;
  std::uint64_t rest = 0;
  std::memcpy(&rest, from, size);
  mix(rest);
}

// The two halves are computed differently, so that values that cancel out in one do not in the
// other.
void hasher::mix(std::uint64_t word) {
  a_ = folded_product(a_ ^ word, 0x9e3779b97f4a7c15) + 0x452821e638d01377;
  b_ = (b_ ^ word) * 0xd1342543de82ef95;
  b_ ^= b_ >> 29;
}

hash128 hasher::result() const {
  const hash128 h{folded_product(a_ ^ b_, 0xbf58476d1ce4e5b9), folded_product(b_, a_ | 1) ^ b_};
  return h == hash128{} ? hash128{1, 0} : h;  // zeros are an empty place
}

visited_set::visited_set() : places_(first_places) {}

bool visited_set::insert(hash128 h) {
  if (used_ * 3 > places_.size() * 2) grow();
  std::size_t i = h.a & (places_.size() - 1);
  for (; !(places_[i] == hash128{}); i = (i + 1) & (places_.size() - 1))
    if (places_[i] == h) return false;
  places_[i] = h;
  ++used_;
  return true;
}

void visited_set::grow() {
  const std::vector<hash128> before =
      std::exchange(places_, std::vector<hash128>(places_.size() * 2));
  used_ = 0;
  for (const hash128& h : before)
    if (!(h == hash128{})) insert(h);
}

std::string result::summary() const {
  std::string text = std::to_string(states) + " states, " + std::to_string(steps) + " steps: ";
  text += violation.empty() ? (complete ? "sound" : "not finished") : violation;
  if (store_waited) text += " (a store waited for a full buffer)";
  return text;
}

std::string result::told() const {
  std::string text = summary() + '\n';
  for (const std::string& line : trace) text += "  " + line + '\n';
  return text;
}

}  // namespace heist_explorer
