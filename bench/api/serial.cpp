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

[[gnu::noinline]] void stencil(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[1 + i] = (in[i] + in[1 + i] + in[2 + i]) * (1.0F / 3);
}

void opaque(std::uint64_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = opaque_body(i);
}

void chains(std::uint64_t* out, std::size_t n, std::size_t length) {
  for (std::size_t i = 0; i < n; ++i) out[i] = chain(i, length);
}

class tasks_in_order final : public graph_program {
 public:
  tasks_in_order(std::size_t size, std::uint8_t* ran) : size_(size), ran_(ran) {}
  void run() override { std::fill(ran_, ran_ + size_, std::uint8_t{1}); }

 private:
  std::size_t size_;
  std::uint8_t* ran_;
};

std::unique_ptr<graph_program> graph(const std::vector<dependencies>& of, std::uint8_t* ran) {
  return std::make_unique<tasks_in_order>(of.size(), ran);
}

}  // namespace

kernels serial() {
  return {"serial", [](unsigned, const auto& function) { function(); },
          &axpy,    &uneven,
          &tiny,    &reduce,
          &scan,    &sort,
          &stencil, &opaque,
          &chains,  &graph};
}

}  // namespace heist::bench::api
