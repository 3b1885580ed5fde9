// The standard library's parallel algorithms, whose backend is heist's.
#include <algorithm>
#include <execution>
#include <type_traits>
#include <vector>

static_assert(std::is_same_v<__pstl::__par_backend::__buffer<int>, heist::pstl::buffer<int>>);

int main() {
  std::vector<int> v(10'000);
  for (int& x : v) x = static_cast<int>(&v.back() - &x);
  std::sort(std::execution::par, v.begin(), v.end());
  return std::is_sorted(v.begin(), v.end()) ? 0 : 1;
}
