// Unbalanced tree search over MPI without heist, for comparison: one thread a rank, a stack of
// nodes, thieves that ask random victims for a chunk from its bottom, victims that poll after some
// nodes, and a token that finds the end (Dijkstra, Feijen, van Gasteren 1983). The scheme is that
// of Dinan et al., Dynamic load balancing of unbalanced computations using message passing (2007).
//
//   mpirun -n 2 heist_cluster_plain_uts TREE [CHUNK [INTERVAL]]
//
// CHUNK (4) is the number of nodes of a steal, INTERVAL (256) that between two looks for requests.
// The best chunk depends on the tree: geometric trees leave so few nodes on a stack that chunks of
// 32 and more are hardly ever there to steal.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "workloads/uts/tree.hpp"

namespace {

using heist::workloads::tree;
using heist::workloads::tree_counts;
using heist::workloads::tree_node;

enum tag { request = 1, answer, token, stop };

class searcher {
 public:
  searcher(const tree& in, std::size_t chunk, int interval)
      : in_(in), chunk_(chunk), interval_(interval) {
    MPI_Comm_rank(MPI_COMM_WORLD, &self_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    random_.seed(static_cast<unsigned>(self_) + 1);
    has_token_ = self_ == 0;
    if (self_ == 0) open_.push_back(in.root());
  }

  tree_counts operator()() {
    while (true) {
      while (!open_.empty()) {
        visit_some();
        answer_requests();
      }
      if (!find_work()) return counts_;
    }
  }

 private:
  void visit_some() {
    for (int i = 0; i < interval_ && !open_.empty(); ++i) {
      const auto node = open_.back();
      open_.pop_back();
      const auto children = in_.children(node);
      counts_ = counts_ + tree_counts{1, children == 0 ? 1u : 0u, node.height};
      for (std::uint32_t c = 0; c < children; ++c) open_.push_back(in_.child(node, c));
    }
  }

  void answer_requests() {
    int has_come = 0;
    MPI_Status status;
    while (MPI_Iprobe(MPI_ANY_SOURCE, request, MPI_COMM_WORLD, &has_come, &status) == MPI_SUCCESS &&
           has_come != 0) {
      MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, request, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const auto given = open_.size() >= 2 * chunk_ ? chunk_ : 0;
      if (given != 0) is_black_ = true;
      MPI_Send(open_.data(), static_cast<int>(given * sizeof(tree_node)), MPI_BYTE,
               status.MPI_SOURCE, answer, MPI_COMM_WORLD);
      open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(given));
    }
  }

  // Whether there is work; false: the search is over.
  bool find_work() {
    while (open_.empty()) {
      if (ranks_ == 1) return false;
      if (pass_token_on()) return false;
      ask(static_cast<int>(random_() % static_cast<unsigned>(ranks_ - 1)));
    }
    return true;
  }

  void ask(int chosen) {
    const int victim = chosen < self_ ? chosen : chosen + 1;
    MPI_Send(nullptr, 0, MPI_BYTE, victim, request, MPI_COMM_WORLD);
    int has_come = 0;
    MPI_Status status;
    while (has_come == 0) {
      answer_requests();
      MPI_Iprobe(victim, answer, MPI_COMM_WORLD, &has_come, &status);
      if (has_come == 0 && is_stopped()) return;  // the victim is no longer there
    }
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    open_.resize(static_cast<std::size_t>(size) / sizeof(tree_node));
    MPI_Recv(open_.data(), size, MPI_BYTE, victim, answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  // The token goes round while ranks are without work: black if one has given work away since it
  // went by. Returns whether the search is over.
  bool pass_token_on() {
    if (is_stopped()) return true;
    const int before = (self_ + ranks_ - 1) % ranks_, next = (self_ + 1) % ranks_;
    int has_come = 0, colour = 0;
    if (!has_token_) {
      MPI_Iprobe(before, token, MPI_COMM_WORLD, &has_come, MPI_STATUS_IGNORE);
      if (has_come == 0) return false;
      MPI_Recv(&colour, 1, MPI_INT, before, token, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (self_ == 0 && colour == 0 && !is_black_) {
        for (int i = 1; i < ranks_; ++i) MPI_Send(nullptr, 0, MPI_BYTE, i, stop, MPI_COMM_WORLD);
        return true;
      }
      if (self_ == 0) colour = 0;
    }
    if (self_ != 0 && is_black_) colour = 1;
    is_black_ = false;
    has_token_ = false;
    MPI_Send(&colour, 1, MPI_INT, next, token, MPI_COMM_WORLD);
    return false;
  }

  [[nodiscard]] static bool is_stopped() {
    int has_come = 0;
    MPI_Iprobe(0, stop, MPI_COMM_WORLD, &has_come, MPI_STATUS_IGNORE);
    return has_come != 0;
  }

  const tree& in_;
  std::size_t chunk_;
  int interval_, self_ = 0, ranks_ = 1;
  std::minstd_rand random_;
  std::vector<tree_node> open_;
  tree_counts counts_;
  bool has_token_ = false, is_black_ = false;
};

int search(const heist::workloads::sample_tree& sample, std::size_t chunk, int interval) {
  const tree in(sample.parameters);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const auto own = searcher(in, chunk, interval)();
  std::uint64_t nodes = 0;
  MPI_Allreduce(&own.nodes, &nodes, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  int self = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  if (self == 0)
    std::printf("%llu nodes, %.6f s\n", static_cast<unsigned long long>(nodes),
                MPI_Wtime() - start);
  return nodes == sample.published.nodes ? 0 : 3;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 2;
  for (const auto& each : heist::workloads::sample_trees())
    if (argc > 1 && each.parameters.name == std::string_view(argv[1]))
      status =
          search(each, argc > 2 ? static_cast<std::size_t>(std::max(1, std::atoi(argv[2]))) : 4,
                 argc > 3 ? std::max(1, std::atoi(argv[3])) : 256);
  if (status == 2) std::fputs("usage: heist_cluster_plain_uts TREE [CHUNK [INTERVAL]]\n", stderr);
  // A request may still be on its way to a rank that has ended; it is received nowhere.
  MPI_Finalize();
  return status;
}
