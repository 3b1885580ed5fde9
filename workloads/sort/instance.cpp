#include "workloads/sort/instance.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

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
