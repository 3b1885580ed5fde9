#include <algorithm>

#include <heist/parallel_for.hpp>
#include <heist/reduce.hpp>
#include <heist/scan.hpp>
#include <heist/sort.hpp>
#include <heist/task_graph.hpp>

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

[[gnu::noinline]] void stencil(const float* in, float* out, std::size_t n) {
  parallel_for(std::size_t{0}, n,
               [=](std::size_t i) { out[1 + i] = (in[i] + in[1 + i] + in[2 + i]) * (1.0F / 3); });
}

void opaque(std::uint64_t* out, std::size_t n) {
  parallel_for(std::size_t{0}, n, [=](std::size_t i) { out[i] = opaque_body(i); });
}

void chains(std::uint64_t* out, std::size_t n, std::size_t length) {
  parallel_for(std::size_t{0}, n, [=](std::size_t i) { out[i] = chain(i, length); });
}

class graph_of_ours final : public graph_program {
 public:
  graph_of_ours(const std::vector<dependencies>& of, std::uint8_t* ran) : of_(of), ran_(ran) {}

  void run() override {
    if (graph_.size() == 0) make();
    graph_.run();
  }

 private:
  void make() {
    std::vector<task_graph::node> nodes;
    nodes.reserve(of_.size());
    for (std::size_t i = 0; i < of_.size(); ++i) {
      nodes.push_back(graph_.add([mark = ran_ + i] { *mark = 1; }));
      if (i == 0) continue;
      graph_.edge(nodes[of_[i].first], nodes[i]);
      graph_.edge(nodes[of_[i].second], nodes[i]);
    }
  }

  const std::vector<dependencies>& of_;
  std::uint8_t* const ran_;
  task_graph graph_;
};

std::unique_ptr<graph_program> graph(const std::vector<dependencies>& of, std::uint8_t* ran) {
  return std::make_unique<graph_of_ours>(of, ran);
}

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
          &sort,
          &stencil,
          &opaque,
          &chains,
          &graph};
}

}  // namespace heist::bench::api
