// Any bytes give a DAG that can be written and read again unchanged, or a usage_error of one line.
#include <string>
#include <string_view>

#include "fuzz.hpp"
#include "lab/dag/dag_drawing.hpp"
#include "lab/dag/dag_json.hpp"

namespace {

using namespace heist::lab;

// Larger DAGs are only parsed: checking each of them would take a second, and fewer inputs would be
// tried.
constexpr std::uint32_t most_nodes_looked_at = 5000;

void look_at(const explicit_dag& dag) {
  require(dag.span() <= dag.work() && dag.largest_frame() <= dag.stack_depth());
  require(dag.critical_path().size() == dag.span());
  require(dag.why_not_strict().empty() == (dag.kind() != strictness::general));
  const auto text = dag_to_json(dag);
  require(dag_to_json(dag_from_json(text, "again")) == text);
  (void)dag_to_dot(dag);
  if (dag.node_count() <= max_drawn_nodes) (void)dag_to_svg(dag);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto dag = dag_from_json(text, "f");
    if (dag.node_count() <= most_nodes_looked_at) look_at(dag);
  } catch (const heist::usage_error& error) {
    require_one_line(error.what(), "f:");
  }
  return 0;
}
