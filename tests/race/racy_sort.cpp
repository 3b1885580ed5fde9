// A quicksort of which, with an argument, one part reaches one element into the other.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <heist/fork_join.hpp>

namespace {

void sort(int* first, int* last, int too_far) {
  if (last - first < 32) {
    for (int* i = first; i < last; ++i)
      for (int* k = i; k > first && k[-1] > *k; --k) std::swap(k[-1], *k);
    return;
  }
  const int pivot = first[(last - first) / 2];
  int* left = first;
  int* right = last - 1;
  while (left <= right) {
    while (*left < pivot) ++left;
    while (*right > pivot) --right;
    if (left <= right) std::swap(*left++, *right--);
  }
  heist::fork_join([=] { sort(first, right + 1 + too_far, too_far); },  //
                   [=] { sort(left, last, too_far); });
}

}  // namespace

int main(int argc, char**) {
  std::vector<int> v(100'000);
  unsigned x = 1;
  for (int& each : v) each = static_cast<int>((x = x * 1664525 + 1013904223) >> 8U);
  sort(v.data(), v.data() + v.size() - 1, argc > 1 ? 1 : 0);
  std::printf("%d\n", v[v.size() / 2]);
  return 0;
}
