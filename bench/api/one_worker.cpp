#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "bench/api/tables.hpp"

namespace heist::bench::api {

namespace {

constexpr double overhead_limit = 1.02;
constexpr double entry_s = 20e-9;  // the allowed cost of any loop, however short

constexpr double turn_s = 4e-3;

problem axpy_problem(std::size_t n) {
  const auto x = std::make_shared<std::vector<float>>(n, 1.5F);
  const auto y = std::make_shared<std::vector<float>>(n);
  return {fmt::format("axpy of {}", n), [=] { std::fill(y->begin(), y->end(), 0.0F); },
          [=](const kernels& k) -> std::function<void()> {
            return [=] { k.axpy(2.0F, x->data(), y->data(), n); };
          },
          [=] { return fingerprint(*y); }, turn_s};
}

problem stencil_problem(std::size_t n) {
  const auto in = std::make_shared<std::vector<float>>(n + 2);
  for (std::size_t i = 0; i < n + 2; ++i) (*in)[i] = static_cast<float>(i % 100);
  const auto out = std::make_shared<std::vector<float>>(n + 2);
  return {fmt::format("stencil of {}", n), [=] { std::fill(out->begin(), out->end(), 0.0F); },
          [=](const kernels& k) -> std::function<void()> {
            return [=] { k.stencil(in->data(), out->data(), n); };
          },
          [=] { return fingerprint(*out); }, turn_s};
}

problem opaque_problem(std::size_t n) {
  const auto out = std::make_shared<std::vector<std::uint64_t>>(n);
  return {
      fmt::format("opaque body, {} times", n), [=] { std::fill(out->begin(), out->end(), 0U); },
      [=](const kernels& k) -> std::function<void()> { return [=] { k.opaque(out->data(), n); }; },
      [=] { return fingerprint(*out); }, turn_s};
}

}  // namespace

void one_worker_table(results& into, participants& by, std::size_t most, const settings& with) {
  double worst = 0;
  std::string where;
  for (std::size_t n = std::min<std::size_t>(1000, most); n <= most; n *= 10) {
    for (auto* const make : {&axpy_problem, &stencil_problem, &opaque_problem}) {
      field f(make(n), by.serial);
      const contestant& ours = *f.add_if_able(by.ours, 1);
      f.play(with);
      f.append_rows(into.rows);
      std::vector<double> less_entry;
      for (const double s : ours.results.values()) less_entry.push_back(s - entry_s);
      const double r = ratio(samples(std::move(less_entry)), f.serial().results).median();
      if (r > worst) where = f.name();
      worst = std::max(worst, r);
    }
  }
  into.targets.push_back({"1 worker: time less 20 ns to the plain loop, the worst row", "",
                          bound::at_most, overhead_limit, worst, where});
}

}  // namespace heist::bench::api
