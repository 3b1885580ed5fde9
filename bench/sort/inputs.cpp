#include "bench/sort/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace heist::bench::sorting {

namespace {

using keys = std::vector<std::int64_t>;

std::mt19937_64 random_numbers() { return std::mt19937_64(20'170'901); }

keys random_values(std::size_t n, std::size_t values) {
  keys v(n);
  auto random = random_numbers();
  for (auto& each : v)
    each = static_cast<std::int64_t>(random() % std::max<std::size_t>(values, 1));
  return v;
}

template <std::size_t Values>
keys few_values(std::size_t n) {
  return random_values(n, Values);
}

keys root_values(std::size_t n) {
  return random_values(n, static_cast<std::size_t>(std::sqrt(static_cast<double>(n))));
}

keys sorted(std::size_t n) {
  keys v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

keys shuffled(std::size_t n) {
  auto v = sorted(n);
  std::shuffle(v.begin(), v.end(), random_numbers());
  return v;
}

// The value k is as frequent as 1/k says.
keys zipf(std::size_t n) {
  keys v(n);
  auto random = random_numbers();
  std::uniform_real_distribution<double> share(0, 1);
  for (auto& each : v)
    each = static_cast<std::int64_t>(std::pow(static_cast<double>(n), share(random))) - 1;
  return v;
}

keys reversed(std::size_t n) {
  auto v = sorted(n);
  std::reverse(v.begin(), v.end());
  return v;
}

keys organ_pipe(std::size_t n) {
  auto v = sorted(n);
  std::reverse(v.begin() + static_cast<std::ptrdiff_t>(n / 2), v.end());
  return v;
}

keys rotated(std::size_t n) {
  auto v = sorted(n);
  std::rotate(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(n / 3), v.end());
  return v;
}

keys saw(std::size_t n) {
  constexpr std::size_t teeth = 16;
  keys v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<std::int64_t>(i % (n / teeth + 1));
  return v;
}

keys few_swaps(std::size_t n) {
  auto v = sorted(n);
  auto random = random_numbers();
  for (std::size_t i = 0; i < n / 100; ++i) std::swap(v[random() % n], v[random() % n]);
  return v;
}

keys runs(std::size_t n) {
  auto v = shuffled(n);
  constexpr std::size_t number = 32;
  for (std::size_t i = 0; i < number; ++i)
    std::sort(v.begin() + static_cast<std::ptrdiff_t>(n * i / number),
              v.begin() + static_cast<std::ptrdiff_t>(n * (i + 1) / number));
  return v;
}

}  // namespace

const std::vector<input>& all_inputs() {
  static const std::vector<input> all = {
      {"1 value", &few_values<1>},     {"2 values", &few_values<2>},
      {"10 values", &few_values<10>},  {"100 values", &few_values<100>},
      {"sqrt n values", &root_values}, {"Zipf", &zipf},
      {"n values, random", &shuffled}, {"sorted", &sorted},
      {"reversed", &reversed},         {"organ pipe", &organ_pipe},
      {"rotated", &rotated},           {"saw", &saw},
      {"few swaps", &few_swaps},       {"32 runs", &runs}};
  return all;
}

}  // namespace heist::bench::sorting
