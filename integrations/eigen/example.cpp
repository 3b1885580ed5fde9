// Multiplies two matrices as Eigen's tensors, on the workers of a pool.
#include <array>
#include <cstdio>

#include <heist/integrations/eigen.hpp>

#define EIGEN_USE_THREADS
#include <unsupported/Eigen/CXX11/Tensor>

int main() {
  heist::pool pool;
  heist::integrations::eigen_pool threads(pool);
  const Eigen::ThreadPoolDevice device(&threads, threads.NumThreads());
  Eigen::Tensor<float, 2> a(1024, 512), b(512, 1024), product(1024, 1024);
  a.setConstant(1);
  b.setConstant(2);
  const std::array<Eigen::IndexPair<int>, 1> inner{Eigen::IndexPair<int>(1, 0)};
  product.device(device) = a.contract(b, inner);
  const Eigen::Tensor<float, 0> trace = product.trace();
  std::printf("the trace of the product is %.0f\n", static_cast<double>(trace()));
}
