#include <fmt/format.h>

#include <heist/cluster/run.hpp>

#include "cluster/command/programs.hpp"
#include "workloads/uts/tree_bag.hpp"

namespace heist::cluster_command {

namespace {

std::string text_of(const workloads::tree_counts& counts) {
  return fmt::format("{} nodes, {} leaves, depth {}", counts.nodes, counts.leaves, counts.depth);
}

}  // namespace

outcome run_uts(cluster::context& in, const uts_request& request) {
  const workloads::tree tree(request.sample->parameters);
  outcome result{fmt::format("uts {}", request.sample->parameters.name), "", "nodes"};
  const auto counts = cluster::run(in, result.name, workloads::tree_bag(tree), [&] {
                        return workloads::tree_bag::whole(tree);
                      }).counts();
  result.text = text_of(counts);
  const auto& known = request.sample->published;
  const workloads::tree_counts expected{known.nodes, known.leaves.value_or(counts.leaves),
                                        known.depth.value_or(counts.depth)};
  if (counts != expected) result.mistake = "published are " + text_of(expected);
  return result;
}

}  // namespace heist::cluster_command
