#include <algorithm>

#include <heist/parallel_for.hpp>
#include <heist/reduce.hpp>
#include <heist/scan.hpp>
#include <heist/sort.hpp>

#include "bench/api/kernels.hpp"

namespace heist::bench::api {

namespace {

[[gnu::noinline]] void axpy(float a, const float* x, float* y, std::size_t n) {
  parallel_for(std::size_t{0}, n, [=](std::size_t i) { y[i] += a * x[i]; });
}

void uneven(std::uint64_t* out, std::size_t n) {
  parallel_for(std::size_t{0}, n, [=](std::size_t i) { out[i] = steps(i, n); });
}

void tiny(float a, const float* x, float* y, std::size_t times) {
  for (; times > 0; --times) axpy(a, x, y, tiny_size);
}

double reduce(const double* x, std::size_t n) { return heist::reduce(x, x + n, 0.0); }

void scan(const std::int64_t* x, std::int64_t* out, std::size_t n) {
  inclusive_scan(x, x + n, out);
}

void sort(std::int64_t* x, std::size_t n) { heist::sort(x, x + n); }

}  // namespace

kernels ours(std::vector<pool*> pools) {
  return {"heist",
          [pools = std::move(pools)](unsigned threads, const auto& function) {
            (*std::find_if(pools.begin(), pools.end(), [=](const pool* p) {
              return p->workers() == threads;
            }))->run(function);
          },
          &axpy,
          &uneven,
          &tiny,
          &reduce,
          &scan,
          &sort};
}

}  // namespace heist::bench::api
