// How values travel between processes: the trait heist::cluster::wire<T>.
//
// Both ends run the same program on processors of the same byte order (the ranks of a run compare
// that when they begin), so a value is the bytes that it has in memory, with the length before
// each part whose length varies. Trivially copyable types need nothing; strings, vectors, pairs and
// maps are here; for a type of your own, specialise the trait:
//
//   template <>
//   struct heist::cluster::wire<point> {
//     static void write(wire_writer& to, const point& p) { to.put(p.x).put(p.y); }
//     static point read(wire_reader& from) { return {from.get<double>(), from.get<double>()}; }
//   };
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/detail/requirements.hpp"
#include "heist/error.hpp"

namespace heist::inline v0::cluster {

// Bytes that were received do not have the form that they should have. Not the caller's fault: the
// other end runs another program, or something on the way changed them.
class [[gnu::visibility("default")]] wire_error : public error {
 public:
  using error::error;
};

template <class T>
struct wire;

// Appends values to a sequence of bytes.
class wire_writer {
 public:
  // `to` must outlive the writer.
  explicit wire_writer(std::vector<std::byte>& to) : to_(to) {}

  // Appends the wire form of a value. Throws what its wire<T> throws, std::bad_alloc.
  template <class T>
  wire_writer& put(const T& value) {
    wire<T>::write(*this, value);
    return *this;
  }

  // Appends bytes as they are. Throws std::bad_alloc.
  wire_writer& put_bytes(const void* bytes, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(bytes);
    to_.insert(to_.end(), first, first + size);
    return *this;
  }

 private:
  std::vector<std::byte>& to_;
};

// Takes values from a sequence of bytes. Each read throws wire_error if too few bytes are left; no
// length that the bytes claim is believed before it was compared with what is left.
class wire_reader {
 public:
  // `from` must outlive the reader.
  explicit wire_reader(std::span<const std::byte> from) : rest_(from) {}

  // Takes a value from its wire form.
  template <class T>
  [[nodiscard]] T get() {
    return wire<T>::read(*this);
  }

  // Copies the next `size` bytes to `to`.
  void get_bytes(void* to, std::size_t size) {
    if (size != 0) std::memcpy(to, take(size).data(), size);
  }

  // The next `size` bytes, in place: they live as long as what the reader reads.
  [[nodiscard]] std::span<const std::byte> take(std::uint64_t size) {
    if (size > rest_.size())
      throw wire_error("a message ends after " + std::to_string(rest_.size()) + " bytes, where " +
                       std::to_string(size) + " more are needed");
    const auto taken = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

  // How many elements follow, each of at least `least_bytes` bytes.
  [[nodiscard]] std::size_t get_count(std::size_t least_bytes) {
    const auto count = get<std::uint64_t>();
    if (count > rest_.size() / least_bytes)
      throw wire_error("a message claims " + std::to_string(count) + " elements in " +
                       std::to_string(rest_.size()) + " bytes");
    return static_cast<std::size_t>(count);
  }

  // How many bytes haven't been taken yet.
  [[nodiscard]] std::size_t bytes_left() const { return rest_.size(); }

  // Throws wire_error if anything is left: what was written by the same type leaves nothing.
  void finish() const {
    if (!rest_.empty())
      throw wire_error("a message has " + std::to_string(rest_.size()) + " bytes too many");
  }

 private:
  std::span<const std::byte> rest_;
};

// Trivially copyable types travel as they are. Pointers mean nothing in another process.
template <class T>
requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>)
struct wire<T> {
  static void write(wire_writer& to, const T& value) { to.put_bytes(&value, sizeof value); }
  static T read(wire_reader& from) {
    T value;
    from.get_bytes(&value, sizeof value);
    return value;
  }
};

template <>
struct wire<std::string> {
  static void write(wire_writer& to, const std::string& text) {
    to.put(std::uint64_t{text.size()}).put_bytes(text.data(), text.size());
  }
  static std::string read(wire_reader& from) {
    std::string text(from.get_count(1), '\0');
    from.get_bytes(text.data(), text.size());
    return text;
  }
};

template <class T>
struct wire<std::vector<T>> {
  static constexpr bool is_plain = std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>;

  static void write(wire_writer& to, const std::vector<T>& values) {
    to.put(std::uint64_t{values.size()});
    if constexpr (is_plain) {
      to.put_bytes(values.data(), values.size() * sizeof(T));
    } else {
      for (const T& value : values) to.put(value);
    }
  }
  static std::vector<T> read(wire_reader& from) {
    if constexpr (is_plain) {
      std::vector<T> values(from.get_count(sizeof(T)));
      from.get_bytes(values.data(), values.size() * sizeof(T));
      return values;
    } else {
      std::vector<T> values;
      for (auto left = from.get_count(1); left > 0; --left) values.push_back(from.get<T>());
      return values;
    }
  }
};

template <class A, class B>
requires(!std::is_trivially_copyable_v<std::pair<A, B>>)
struct wire<std::pair<A, B>> {
  static void write(wire_writer& to, const std::pair<A, B>& both) {
    to.put(both.first).put(both.second);
  }
  static std::pair<A, B> read(wire_reader& from) {
    auto first = from.get<A>();
    return {std::move(first), from.get<B>()};
  }
};

template <class K, class V, class Less>
struct wire<std::map<K, V, Less>> {
  static void write(wire_writer& to, const std::map<K, V, Less>& values) {
    to.put(std::uint64_t{values.size()});
    for (const auto& [key, value] : values) to.put(key).put(value);
  }
  static std::map<K, V, Less> read(wire_reader& from) {
    std::map<K, V, Less> values;
    for (auto left = from.get_count(1); left > 0; --left) {
      auto key = from.get<K>();
      values.emplace_hint(values.end(), std::move(key), from.get<V>());
    }
    return values;
  }
};

// A type whose values wire<T> writes and reads: trivially copyable types, strings, vectors, pairs
// and maps of them, and what a program specialises wire for.
template <class T>
concept wireable = requires(wire_writer& to, wire_reader& from, const T& value) {
  wire<T>::write(to, value);
  { wire<T>::read(from) } -> std::same_as<T>;
};

}  // namespace heist::inline v0::cluster
