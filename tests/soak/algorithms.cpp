// Algorithms that call their children, and algorithms over data that are compared with those of the
// standard library.
#include <algorithm>
#include <numeric>
#include <vector>

#include "heist/heist.hpp"
#include "tests/soak/construct.hpp"

namespace heist_soak {
namespace {

std::uint64_t reduction(const place& p, unsigned n) {
  std::vector<unsigned> indices(n);
  std::iota(indices.begin(), indices.end(), 0U);
  return heist::transform_reduce(indices, std::uint64_t{0}, std::plus<>(),
                                 [&](unsigned i) { return p.part(i); });
}

std::uint64_t transformation(const place& p, unsigned n) {
  std::vector<unsigned> indices(n);
  std::iota(indices.begin(), indices.end(), 0U);
  std::vector<std::uint64_t> parts(n);
  heist::transform(indices, parts.begin(), [&](unsigned i) { return p.part(i); });
  return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
}

std::uint64_t search(const place& p, unsigned n) {
  std::vector<unsigned> indices(n);
  std::iota(indices.begin(), indices.end(), 0U);
  std::atomic<std::uint64_t> sum{0};
  const bool found = heist::any_of(indices, [&](unsigned i) {
    sum.fetch_add(p.part(i), std::memory_order_relaxed);
    return false;
  });
  if (found) fail("any_of found what isn't there", p.node);
  return sum.load(std::memory_order_relaxed);
}

std::vector<std::uint64_t> data_of(const place& p) {
  std::vector<std::uint64_t> v(1 + p.hash() % 3000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = mixed(p.hash() + i) % 500;
  return v;
}

void check(bool is_right, const char* what, const place& p) {
  if (!is_right) fail(what, p.node);
}

std::uint64_t sorting(const place& p, unsigned) {
  auto ours = data_of(p);
  auto theirs = ours;
  heist::sort(ours);
  std::sort(theirs.begin(), theirs.end());
  check(ours == theirs, "sort has another result", p);
  return p.part(0);
}

// The lower halves of the elements are their old places, so a stable sort also sorts the whole
// values.
std::uint64_t stable_sorting(const place& p, unsigned) {
  auto ours = data_of(p);
  for (std::size_t i = 0; i < ours.size(); ++i) ours[i] = (ours[i] % 16) << 32 | i;
  heist::stable_sort(ours, [](std::uint64_t a, std::uint64_t b) { return a >> 32 < b >> 32; });
  check(std::is_sorted(ours.begin(), ours.end()), "stable_sort has another result", p);
  return p.part(0);
}

std::uint64_t scanning(const place& p, unsigned) {
  auto ours = data_of(p);
  auto theirs = ours;
  heist::inclusive_scan(ours, ours.begin());
  std::inclusive_scan(theirs.begin(), theirs.end(), theirs.begin());
  check(ours == theirs, "inclusive_scan has another result", p);
  return p.part(0);
}

std::uint64_t selecting(const place& p, unsigned) {
  const auto odd = [](std::uint64_t i) { return i % 2 != 0; };
  const auto from = data_of(p);
  std::vector<std::uint64_t> ours(from.size());
  std::vector<std::uint64_t> theirs;
  ours.resize(static_cast<std::size_t>(heist::copy_if(from, ours.begin(), odd) - ours.begin()));
  std::copy_if(from.begin(), from.end(), std::back_inserter(theirs), odd);
  check(ours == theirs, "copy_if has another result", p);
  check(*heist::min_element(from) == *std::min_element(from.begin(), from.end()),
        "min_element has another result", p);
  return p.part(0);
}

constexpr construct table_of_algorithms[] = {{"transform_reduce", 3, trait::plain, 1, 7, &reduction},
                               {"transform", 2, trait::plain, 1, 7, &transformation},
                               {"any_of", 1, trait::plain, 1, 5, &search},
                               {"sort", 1, trait::plain, 1, 0, &sorting},
                               {"stable_sort", 1, trait::plain, 1, 0, &stable_sorting},
                               {"inclusive_scan", 1, trait::plain, 1, 0, &scanning},
                               {"copy_if and min_element", 1, trait::plain, 1, 0, &selecting}};

}  // namespace

std::span<const construct> algorithms() { return table_of_algorithms; }

}  // namespace heist_soak
