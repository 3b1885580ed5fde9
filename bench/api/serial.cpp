#include <algorithm>
#include <numeric>

#include "bench/api/kernels.hpp"

namespace heist::bench::api {

namespace {

[[gnu::noinline]] void axpy(float a, const float* x, float* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

void uneven(std::uint64_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = steps(i, n);
}

void tiny(float a, const float* x, float* y, std::size_t times) {
  for (; times > 0; --times) axpy(a, x, y, tiny_size);
}

double reduce(const double* x, std::size_t n) { return std::reduce(x, x + n, 0.0); }

void scan(const std::int64_t* x, std::int64_t* out, std::size_t n) {
  std::inclusive_scan(x, x + n, out);
}

void sort(std::int64_t* x, std::size_t n) { std::sort(x, x + n); }

}  // namespace

kernels serial() {
  return {"serial", [](unsigned, const auto& function) { function(); },
          &axpy,    &uneven,
          &tiny,    &reduce,
          &scan,    &sort};
}

}  // namespace heist::bench::api
