// What `heist bench sort` sorts: types of elements, each made of a key and compared by it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace heist::bench::sorting {

template <std::size_t Size>
struct record {
  std::int64_t key;
  std::array<std::byte, Size - sizeof(key)> rest;
  friend bool operator<(const record& a, const record& b) { return a.key < b.key; }
};

// It can be moved and not copied; its key lies elsewhere.
struct owner {
  std::unique_ptr<std::int64_t> key;
  friend bool operator<(const owner& a, const owner& b) { return *a.key < *b.key; }
};

// A comparison takes some tens of nanoseconds, of which the compiler must leave nothing out.
struct dear {
  std::int64_t key;
  friend bool operator<(const dear& a, const dear& b) {
    std::uint64_t h = static_cast<std::uint64_t>(a.key) ^ static_cast<std::uint64_t>(b.key);
    for (int i = 0; i < 16; ++i) h = h * 0x9E3779B97F4A7C15U + 1;
    asm volatile("" : "+r"(h));
    return a.key < b.key;
  }
};

// The columns of the matrix.
using element_types =
    std::tuple<std::int32_t, std::int64_t, record<16>, record<24>, record<64>, record<256>,
               std::string, owner, dear, std::pair<std::int32_t, std::int32_t>,
               std::pair<double, std::int32_t>,
               std::tuple<std::int32_t, std::int32_t, std::int32_t>>;
inline constexpr std::array<std::string_view, 12> type_names = {
    "4 bytes", "8 bytes",   "16 bytes", "24 bytes", "64 bytes",    "256 bytes",
    "string",  "move-only", "dear",     "pair",     "double pair", "tuple"};
static_assert(type_names.size() == std::tuple_size_v<element_types>);

// Pairs and tuples, whose first member is the key.
template <class T>
concept has_members = requires { std::tuple_size<T>::value; };

// The element with a key of at least 0 and below 2^31.
template <class T>
T element_of(std::int64_t key) {
  if constexpr (std::is_same_v<T, std::string>) {
    auto digits = std::to_string(key);
    return "a string " + std::string(10 - digits.size(), '0') + digits;  // too long to lie within
  } else if constexpr (std::is_same_v<T, owner>) {
    return {std::make_unique<std::int64_t>(key)};
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(key);
  } else if constexpr (has_members<T>) {
    T made{};
    std::get<0>(made) = static_cast<std::tuple_element_t<0, T>>(key);
    return made;
  } else {
    T made{};
    made.key = key;
    return made;
  }
}

template <class T>
std::int64_t key_of(const T& element) {
  if constexpr (std::is_same_v<T, std::string>)
    return std::stoll(element.substr(9));
  else if constexpr (std::is_same_v<T, owner>)
    return *element.key;
  else if constexpr (std::is_integral_v<T>)
    return element;
  else if constexpr (has_members<T>)
    return static_cast<std::int64_t>(std::get<0>(element));
  else
    return element.key;
}

}  // namespace heist::bench::sorting
