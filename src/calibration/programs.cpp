#include "calibration/programs.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "lab/programs/quicksort.hpp"
#include "workloads/fib/fib.hpp"
#include "workloads/forkers.hpp"
#include "workloads/hashing.hpp"
#include "workloads/matmul/matmul.hpp"
#include "workloads/nqueens/nqueens.hpp"
#include "workloads/skynet/skynet.hpp"
#include "workloads/uts/tree.hpp"

namespace heist::calibration {

namespace {

using workloads::forked;
using workloads::serially;

struct counting {
  std::uint64_t* forks;

  template <class... Functions>
  auto operator()(Functions&&... functions) const {
    *forks += sizeof...(Functions) - 1;
    return serially{}(std::forward<Functions>(functions)...);
  }
};

// Counts the forks of run(fork).
template <class Function>
std::uint64_t count_forks(Function run) {
  std::uint64_t forks = 0;
  run(counting{&forks});
  return forks;
}

// Work that no compiler sees through: each step waits for the one before.
[[gnu::noinline]] std::uint64_t spin(std::uint64_t x, std::uint64_t steps) {
  for (; steps > 0; --steps) x = x * 6364136223846793005U + 1442695040888963407U;
  return x;
}

class fib_copy final : public program_copy {
 public:
  explicit fib_copy(std::uint64_t n) : n_(n) {}
  void run_serial() override { result_ = workloads::fib_serial(n_); }
  void run_forked() override { result_ = workloads::fib(n_); }
  // Each call but a leaf forks once, and there are fib(n + 1) leaves.
  std::uint64_t forks() override { return workloads::fib_serial(n_ + 1) - 1; }

 private:
  std::uint64_t n_;
};

// The lab's tree:2,depth,work.
class tree_copy final : public program_copy {
 public:
  tree_copy(unsigned depth, std::uint64_t work) : depth_(depth), work_(work) {}
  void run_serial() override { result_ = walk(depth_, 1, serially{}); }
  void run_forked() override { result_ = walk(depth_, 1, forked{}); }
  std::uint64_t forks() override {
    return count_forks([this](auto fork) { static_cast<void>(walk(depth_, 1, fork)); });
  }

 private:
  template <class Fork>
  [[gnu::noinline]] std::uint64_t walk(unsigned level, std::uint64_t x, Fork fork) const {
    if (level == 0) return spin(x, work_);
    const auto [a, b] = fork([this, level, x, fork] { return walk(level - 1, 2 * x, fork); },
                             [this, level, x, fork] { return walk(level - 1, 2 * x + 1, fork); });
    return a + b;
  }

  unsigned depth_;
  std::uint64_t work_;
};

// The lab's loops:outer,inner,work.
class loops_copy final : public program_copy {
 public:
  loops_copy(std::uint64_t outer, std::uint64_t inner, std::uint64_t work)
      : outer_(outer), inner_(inner), work_(work) {}
  void run_serial() override { result_ = outer_loop(0, outer_, serially{}); }
  void run_forked() override { result_ = outer_loop(0, outer_, forked{}); }
  std::uint64_t forks() override {
    return count_forks([this](auto fork) { static_cast<void>(outer_loop(0, outer_, fork)); });
  }

 private:
  template <class Fork>
  [[gnu::noinline]] std::uint64_t outer_loop(std::uint64_t first, std::uint64_t count,
                                             Fork fork) const {
    if (count == 1) return inner_loop(first * inner_, inner_, fork);
    const auto half = count / 2;
    const auto [a, b] = fork([=, this] { return outer_loop(first, half, fork); },
                             [=, this] { return outer_loop(first + half, count - half, fork); });
    return a + b;
  }
  template <class Fork>
  [[gnu::noinline]] std::uint64_t inner_loop(std::uint64_t first, std::uint64_t count,
                                             Fork fork) const {
    if (count == 1) return spin(first, work_);
    const auto half = count / 2;
    const auto [a, b] = fork([=, this] { return inner_loop(first, half, fork); },
                             [=, this] { return inner_loop(first + half, count - half, fork); });
    return a + b;
  }

  std::uint64_t outer_, inner_, work_;
};

// The lab's skynet:leaves.
class skynet_copy final : public program_copy {
 public:
  explicit skynet_copy(std::uint64_t leaves) : whole_{0, leaves} {}
  void run_serial() override { result_ = workloads::skynet_serially(whole_); }
  void run_forked() override { result_ = workloads::skynet(whole_, forked{}); }
  std::uint64_t forks() override {
    return count_forks([this](auto fork) { static_cast<void>(workloads::skynet(whole_, fork)); });
  }

 private:
  workloads::skynet_node whole_;
};

// The lab's nqueens:n,cutoff.
class nqueens_copy final : public program_copy {
 public:
  nqueens_copy(unsigned n, unsigned cutoff)
      : board_(workloads::chessboard::empty(n)), cutoff_(cutoff) {}
  void run_serial() override { result_ = workloads::count_boards_serially(board_); }
  void run_forked() override { result_ = count(forked{}); }
  std::uint64_t forks() override {
    return count_forks([this](auto fork) { static_cast<void>(count(fork)); });
  }

 private:
  template <class Fork>
  std::uint64_t count(Fork fork) const {
    return workloads::count_boards(board_, board_.free(), cutoff_, fork);
  }

  workloads::chessboard board_;
  unsigned cutoff_;
};

// The lab's matmul:n,block: eight products of half the size, four at a time.
class matmul_copy final : public program_copy {
 public:
  matmul_copy(std::size_t n, std::size_t block)
      : n_(n), block_(block), a_(n * n), b_(n * n), c_(n * n) {
    for (std::size_t i = 0; i < n * n; ++i) {
      a_[i] = static_cast<double>(workloads::random_at(1, i) % 17);
      b_[i] = static_cast<double>(workloads::random_at(2, i) % 17);
    }
  }
  void reset() override { std::fill(c_.begin(), c_.end(), 0.0); }
  void run_serial() override { run(serially{}); }
  void run_forked() override { run(forked{}); }
  std::uint64_t forks() override {
    return count_forks([this](auto fork) { run(fork); });
  }
  std::uint64_t result() const override {
    std::uint64_t hash = 0;  // sums of whole numbers are exact
    for (const double each : c_) hash = workloads::mixed(hash + static_cast<std::uint64_t>(each));
    return hash;
  }

 private:
  using constant_block = workloads::constant_block;
  using result_block = workloads::result_block;

  template <class Fork>
  void run(Fork fork) {
    multiply({a_.data(), n_, n_, n_}, {b_.data(), n_, n_, n_}, {c_.data(), n_, n_, n_}, fork);
  }

  template <class Fork>
  void multiply(constant_block a, constant_block b, result_block c, Fork fork) const {
    if (c.rows <= block_) return workloads::multiply_block(a, b, c);
    const auto four = [&](constant_block top, constant_block bottom, constant_block from) {
      fork([=, this] { multiply(top, from.left(), c.top().left(), fork); },
           [=, this] { multiply(top, from.right(), c.top().right(), fork); },
           [=, this] { multiply(bottom, from.left(), c.bottom().left(), fork); },
           [=, this] { multiply(bottom, from.right(), c.bottom().right(), fork); });
    };
    four(a.top().left(), a.bottom().left(), b.top());
    four(a.top().right(), a.bottom().right(), b.bottom());
  }

  std::size_t n_, block_;
  std::vector<double> a_, b_, c_;
};

// The lab's quicksort:n,seed: the same numbers and the same pivots, so the same tree.
class quicksort_copy final : public program_copy {
 public:
  quicksort_copy(std::uint32_t count, std::uint64_t seed) {
    lab::quicksort_program source(count, seed);
    static_cast<void>(source.root());
    input_ = source.numbers();
  }
  void reset() override { numbers_ = input_; }
  void run_serial() override { run(serially{}); }
  void run_forked() override { run(forked{}); }
  std::uint64_t forks() override {
    return count_forks([this](auto fork) { run(fork); });
  }
  std::uint64_t result() const override {
    std::uint64_t hash = 0;
    for (const auto each : numbers_) hash = hash * 31 + each;
    return hash;
  }

 private:
  static constexpr std::size_t few = 16;

  template <class Fork>
  void run(Fork fork) {
    sort(std::span(numbers_), fork);
  }

  template <class Fork>
  static void sort(std::span<std::uint32_t> part, Fork fork) {
    if (part.size() <= few) return std::sort(part.begin(), part.end());
    const auto middle = partition(part);
    fork([=] { sort(part.first(middle), fork); }, [=] { sort(part.subspan(middle + 1), fork); });
  }

  static std::size_t partition(std::span<std::uint32_t> part) {
    auto& a = part.front();
    auto& b = part[part.size() / 2];
    auto& c = part.back();
    const auto median = std::max(std::min(a, b), std::min(std::max(a, b), c));
    std::swap(c, median == a ? a : median == b ? b : c);
    const auto place = std::partition(part.begin(), part.end() - 1,
                                      [median](std::uint32_t x) { return x < median; });
    std::iter_swap(place, part.end() - 1);
    return static_cast<std::size_t>(place - part.begin());
  }

  std::vector<std::uint32_t> input_, numbers_;
};

// The lab's uts:T1: a node forks its first child and the rest of its children.
class uts_copy final : public program_copy {
 public:
  explicit uts_copy(const workloads::tree_parameters& parameters) : tree_(parameters) {}
  void run_serial() override { result_ = count(tree_.root(), serially{}); }
  void run_forked() override { result_ = count(tree_.root(), forked{}); }
  std::uint64_t forks() override {
    return count_forks([this](auto fork) { static_cast<void>(count(tree_.root(), fork)); });
  }

 private:
  template <class Fork>
  std::uint64_t count(const workloads::tree_node& node, Fork fork) const {
    const auto children = tree_.children(node);
    return children == 0 ? 1 : 1 + count_from(node, 0, children, fork);
  }
  template <class Fork>
  std::uint64_t count_from(const workloads::tree_node& node, std::uint32_t first, std::uint32_t end,
                           Fork fork) const {
    if (first + 1 == end) return count(tree_.child(node, first), fork);
    const auto [a, b] =
        fork([this, &node, first, fork] { return count(tree_.child(node, first), fork); },
             [this, &node, first, end, fork] { return count_from(node, first + 1, end, fork); });
    return a + b;
  }

  workloads::tree tree_;
};

std::unique_ptr<program_copy> make_uts(bool) {
  for (const auto& sample : workloads::sample_trees())
    if (sample.parameters.name == "T1") return std::make_unique<uts_copy>(sample.parameters);
  throw std::logic_error("no tree T1");
}

template <class Copy, auto... Numbers>
struct sizes {
  static std::unique_ptr<program_copy> make() { return std::make_unique<Copy>(Numbers...); }
};
template <class Full, class Quick>
std::unique_ptr<program_copy> make(bool quick) {
  return quick ? Quick::make() : Full::make();
}

}  // namespace

const std::vector<lab_program>& lab_programs() {
  static const std::vector<lab_program> all = {
      {"fib", "Fibonacci numbers: hardly anything but forks", "fib:32", "fib:18",
       make<sizes<fib_copy, 32>, sizes<fib_copy, 18>>},
      {"skynet", "a flat tree, ten children a node: hardly anything but forks", "skynet:10000000",
       "skynet:1000", make<sizes<skynet_copy, 10'000'000>, sizes<skynet_copy, 1000>>},
      {"nqueens", "a search tree that no division balances", "nqueens:13,6", "nqueens:8,4",
       make<sizes<nqueens_copy, 13U, 6U>, sizes<nqueens_copy, 8U, 4U>>},
      {"tree", "a binary tree with work at the leaves", "tree:2,13,5000", "tree:2,7,200",
       make<sizes<tree_copy, 13, 5000>, sizes<tree_copy, 7, 200>>},
      {"loops", "a loop inside a loop", "loops:500,300,200", "loops:20,20,50",
       make<sizes<loops_copy, 500, 300, 200>, sizes<loops_copy, 20, 20, 50>>},
      {"matmul", "the product of matrices by halving", "matmul:512,32", "matmul:64,16",
       make<sizes<matmul_copy, 512, 32>, sizes<matmul_copy, 64, 16>>},
      {"quicksort", "random numbers, sorted", "quicksort:1000000,1", "quicksort:5000,1",
       make<sizes<quicksort_copy, 1'000'000, 1>, sizes<quicksort_copy, 5000, 1>>},
      {"uts", "an unbalanced tree that only a walk reveals", "uts:T1", "", make_uts},
  };
  return all;
}

}  // namespace heist::calibration
