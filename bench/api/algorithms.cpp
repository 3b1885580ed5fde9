#include <algorithm>
#include <memory>
#include <random>

#include <fmt/format.h>

#include "bench/api/tables.hpp"

namespace heist::bench::api {

namespace {

constexpr double rival_limit = 1.0;  // heist to the best rival

problem axpy_problem(std::size_t n) {
  const auto x = std::make_shared<std::vector<float>>(n, 1.5F);
  const auto y = std::make_shared<std::vector<float>>(n);
  return {fmt::format("axpy of {}", n), [=] { std::fill(y->begin(), y->end(), 2.0F); },
          [=](const kernels& k) -> std::function<void()> {
            if (k.axpy == nullptr) return {};
            return [=] { k.axpy(2.0F, x->data(), y->data(), n); };
          },
          [=] { return fingerprint(*y); }};
}

problem uneven_problem(std::size_t n) {
  const auto out = std::make_shared<std::vector<std::uint64_t>>(n);
  return {fmt::format("uneven loop of {}", n), [=] { std::fill(out->begin(), out->end(), 0U); },
          [=](const kernels& k) -> std::function<void()> {
            if (k.uneven == nullptr) return {};
            return [=] { k.uneven(out->data(), n); };
          },
          [=] { return fingerprint(*out); }};
}

problem tiny_problem(std::size_t times) {
  const auto x = std::make_shared<std::vector<float>>(tiny_size, 1.0F);
  const auto y = std::make_shared<std::vector<float>>(tiny_size);
  return {fmt::format("{} loops of {}", times, tiny_size),
          [=] { std::fill(y->begin(), y->end(), 0.0F); },
          [=](const kernels& k) -> std::function<void()> {
            if (k.tiny == nullptr) return {};
            return [=] { k.tiny(1.0F, x->data(), y->data(), times); };
          },
          [=] { return fingerprint(*y); }};
}

problem reduce_problem(std::size_t n) {
  const auto x = std::make_shared<std::vector<double>>(n, 1.0);  // every order gives the same sum
  const auto sum = std::make_shared<double>(0);
  return {fmt::format("reduce of {}", n), [=] { *sum = 0; },
          [=](const kernels& k) -> std::function<void()> {
            if (k.reduce == nullptr) return {};
            return [=] { *sum = k.reduce(x->data(), n); };
          },
          [=] { return static_cast<std::uint64_t>(*sum); }};
}

problem scan_problem(std::size_t n) {
  const auto x = std::make_shared<std::vector<std::int64_t>>(n);
  for (std::size_t i = 0; i < n; ++i) (*x)[i] = static_cast<std::int64_t>(i % 1000);
  const auto out = std::make_shared<std::vector<std::int64_t>>(n);
  return {fmt::format("inclusive_scan of {}", n), [=] { std::fill(out->begin(), out->end(), 0); },
          [=](const kernels& k) -> std::function<void()> {
            if (k.scan == nullptr) return {};
            return [=] { k.scan(x->data(), out->data(), n); };
          },
          [=] { return fingerprint(*out); }};
}

enum class arrangement { random, sorted, equal, organ_pipe };

std::string_view word_for(arrangement a) {
  switch (a) {
    case arrangement::random:
      return "random";
    case arrangement::sorted:
      return "sorted";
    case arrangement::equal:
      return "equal";
    case arrangement::organ_pipe:
      return "organ-pipe";
  }
  return {};
}

std::vector<std::int64_t> arranged(arrangement a, std::size_t n) {
  std::vector<std::int64_t> result(n, 7);
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < n; ++i) {
    if (a == arrangement::random) result[i] = static_cast<std::int64_t>(random());
    if (a == arrangement::sorted) result[i] = static_cast<std::int64_t>(i);
    if (a == arrangement::organ_pipe) result[i] = static_cast<std::int64_t>(std::min(i, n - i));
  }
  return result;
}

problem sort_problem(arrangement a, std::size_t n) {
  const auto input = std::make_shared<std::vector<std::int64_t>>(arranged(a, n));
  const auto values = std::make_shared<std::vector<std::int64_t>>();
  return {fmt::format("sort of {}, {}", n, word_for(a)), [=] { *values = *input; },
          [=](const kernels& k) -> std::function<void()> {
            if (k.sort == nullptr) return {};
            return [=] { k.sort(values->data(), n); };
          },
          [=] { return fingerprint(*values); }};
}

}  // namespace

void algorithms_table(results& into, participants& by, const algorithm_sizes& sizes,
                      const settings& with) {
  // The problems run one after the other, so that the memory of one is free for the next.
  const auto play = [&](problem what) {
    const auto f = by.play(std::move(what), with);
    f.of->append_rows(into.rows);
    into.targets.push_back(against_rivals(f, rival_limit));
  };
  play(axpy_problem(sizes.loop));
  play(uneven_problem(sizes.uneven));
  play(tiny_problem(sizes.tiny_times));
  play(reduce_problem(sizes.array));
  play(scan_problem(sizes.array));
  for (const auto a :
       {arrangement::random, arrangement::sorted, arrangement::equal, arrangement::organ_pipe})
    play(sort_problem(a, sizes.sort));
}

}  // namespace heist::bench::api
