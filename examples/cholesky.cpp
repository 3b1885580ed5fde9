// Cholesky's factorisation, A = L L^T, in tiles: a task_graph has a function for each step on each
// tile, and an edge wherever one step needs the result of another. The steps on the most expensive
// path begin first. `example_cholesky FILE.dot` writes the graph with the outcome of each function
// for Graphviz.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <heist/heist.hpp>
#include <heist/task_graph.hpp>

namespace {

constexpr int tiles = 8, side = 48, n = tiles * side;  // tiles on a side, their rows, and all rows

// A part of the matrix, or all of it, that begins at the given corner.
struct part {
  double* corner;
  double& operator()(int row, int column) const { return corner[row * n + column]; }
};

// The lower triangle of `a`, which has `size` rows, becomes L.
void factorise(part a, int size) {
  for (int j = 0; j < size; ++j)
    for (int i = j; i < size; ++i) {
      for (int k = 0; k < j; ++k) a(i, j) -= a(i, k) * a(j, k);
      a(i, j) = i == j ? std::sqrt(a(j, j)) : a(i, j) / a(j, j);
    }
}
// x becomes x L^-T.
void solve(part x, part l) {
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      for (int k = 0; k < j; ++k) x(i, j) -= x(i, k) * l(j, k);
      x(i, j) /= l(j, j);
    }
}
// c becomes c - a b^T.
void subtract_product(part c, part a, part b) {
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j)
      for (int k = 0; k < side; ++k) c(i, j) -= a(i, k) * b(j, k);
}

// Steps on the same tile follow each other; a step that reads other tiles comes after the earlier
// steps on these.
struct plan {
  using node = heist::task_graph::node;
  double* matrix;
  heist::task_graph graph{};
  std::optional<node> last[tiles][tiles]{};  // step on each tile

  part tile(int row, int column) const { return {&matrix[(row * n + column) * side]}; }
  void step(const char* name, double cost, int row, int column, auto f,
            std::vector<node> after = {}) {
    const auto at = " " + std::to_string(row) + "," + std::to_string(column);
    const node added = graph.add(f, {.name = name + at, .cost = cost});
    if (last[row][column]) after.push_back(*last[row][column]);
    for (const node& before : after) graph.edge(before, added);
    last[row][column] = added;
  }
};

void plan_factorisation(plan& p) {
  for (int k = 0; k < tiles; ++k) {
    const part l = p.tile(k, k);
    p.step("factorise", 1, k, k, [=] { factorise(l, side); });
    for (int i = k + 1; i < tiles; ++i) {
      const part x = p.tile(i, k);
      p.step("solve", 3, i, k, [=] { solve(x, l); }, {*p.last[k][k]});
      for (int j = k + 1; j <= i; ++j) {
        const part c = p.tile(i, j), b = p.tile(j, k);
        p.step("subtract", 6, i, j, [=] { subtract_product(c, x, b); },
               {*p.last[i][k], *p.last[j][k]});
      }
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<double> matrix(std::size_t{n} * n);  // any symmetric matrix with a strong diagonal
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) part{matrix.data()}(i, j) = i == j ? n : std::cos(double(i) * j);
  std::vector<double> serial = matrix;
  plan p{matrix.data()};
  plan_factorisation(p);
  p.graph.run({.order = heist::graph_order::critical_path, .measure = true});
  factorise({serial.data()}, n);
  double difference = 0;
  for (std::size_t i = 0; i < matrix.size(); ++i)
    if (i % n <= i / n) difference = std::max(difference, std::abs(matrix[i] - serial[i]));
  std::printf("%zu steps; the serial result differs by %.1g\n", p.graph.size(), difference);
  if (count > 1) std::ofstream(arguments[1]) << p.graph.dot();
  return difference < 1e-9 ? 0 : 1;
}
