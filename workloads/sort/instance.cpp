#include "workloads/sort/instance.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "workloads/files.hpp"
#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"
#include "workloads/sort/input.hpp"

namespace heist::workloads {

namespace {

std::span<const std::int64_t> view(const std::vector<std::int64_t>& values) { return values; }

}  // namespace

sort_instance::sort_instance(std::vector<std::int64_t> input)
    : input_(std::move(input)), values_(input_), input_hash_(multiset_hash(view(input_))) {}

std::string sort_instance::result() const { return fmt::format("{} integers", values_.size()); }

std::uint64_t sort_instance::checksum() const { return ordered_hash(view(values_)); }

std::optional<std::string> sort_instance::mistake() const {
  const auto fall = std::is_sorted_until(values_.begin(), values_.end());
  if (fall != values_.end())
    return fmt::format("the integer at position {} is less than the one before it",
                       fall - values_.begin());
  if (multiset_hash(view(values_)) != input_hash_)
    return "the sorted integers are not those of the input";
  return std::nullopt;
}

work_count sort_instance::work() const { return {static_cast<double>(values_.size()), "integers"}; }

std::vector<option_spec> sort_options() {
  constexpr std::int64_t most = std::int64_t{1} << 60;
  return {integer_option("size", "integers to sort, if no file is given", 4'000'000, 0, most),
          integer_option("seed", "of the generated integers", 1, 0, most),
          choice_option("order", "of the generated integers", "random", input_orders()),
          path_option("file", "sort this file of 64-bit integers instead, in memory"),
          integer_option("cutoff", "integers from which on nothing is forked", 2048, 1, most)};
}

std::vector<std::int64_t> sort_input(std::string_view sort, const option_values& values,
                                     std::uint64_t copies) {
  if (const auto& path = values.text("file"); !path.empty()) {
    values.refuse({"size", "seed", "order"}, "--file");
    return read_integers(path, copies);
  }
  const auto size = values.size("size");
  require_memory(fmt::format("{} --size {}", sort, size),
                 saturating_product(size, copies * sizeof(std::int64_t)));
  return generate_integers(size, values.size("seed"), values.text("order"));
}

}  // namespace heist::workloads

// ---- input.hpp

namespace heist::workloads {

const std::vector<std::string>& input_orders() {
  static const std::vector<std::string> orders = {"random",  "sorted",     "reversed",
                                                  "equal",   "organ-pipe", "few-values",
                                                  "uniform", "exponential"};
  return orders;
}

namespace {

// A whole number of an exponential distribution with this mean, so that a few are equal.
std::int64_t exponential(std::uint64_t random, std::size_t mean) {
  const double uniform = static_cast<double>(random >> 11) * 0x1p-53;
  return static_cast<std::int64_t>(-std::log1p(-uniform) * static_cast<double>(mean));
}

}  // namespace

std::vector<std::int64_t> generate_integers(std::size_t count, std::uint64_t seed,
                                            std::string_view order) {
  std::vector<std::int64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto random = random_at(seed, i);
    const auto rising = static_cast<std::int64_t>(i);
    const auto falling = static_cast<std::int64_t>(count - i);
    if (order == "sorted")
      values[i] = rising;
    else if (order == "reversed")
      values[i] = falling;
    else if (order == "equal")
      values[i] = static_cast<std::int64_t>(seed);
    else if (order == "organ-pipe")
      values[i] = std::min(rising, falling);
    else if (order == "few-values")
      values[i] = static_cast<std::int64_t>(random % 16);
    else if (order == "uniform")
      values[i] = static_cast<std::int64_t>(random % count);
    else if (order == "exponential")
      values[i] = exponential(random, count);
    else
      values[i] = static_cast<std::int64_t>(random);
  }
  return values;
}

std::vector<std::int64_t> read_integers(const std::string& path, std::uint64_t copies) {
  const auto file = open_for_reading(path);
  require_memory(fmt::format("sorting '{}'", path),
                 saturating_product(size_hint(file.get(), path), copies));
  std::vector<char> bytes;
  read_all(file.get(), path, [&](std::span<const char> piece) {
    if (bytes.size() + piece.size() > bytes.capacity())
      require_memory(fmt::format("sorting '{}'", path),
                     saturating_product(bytes.size() + piece.size(), copies + 1));
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  if (bytes.empty()) throw resource_error(fmt::format("'{}' is empty: nothing to sort", path));
  if (bytes.size() % sizeof(std::int64_t) != 0)
    throw resource_error(fmt::format("'{}' has {} bytes, not a whole number of 8-byte integers",
                                     path, bytes.size()));
  std::vector<std::int64_t> values(bytes.size() / sizeof(std::int64_t));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace heist::workloads
