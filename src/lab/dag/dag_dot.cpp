#include "lab/dag/dag_dot.hpp"

#include <fmt/format.h>

namespace heist::lab {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

std::string dag_to_dot(const explicit_dag& dag) {
  std::string out = fmt::format(
      "digraph {} {{\n  rankdir=LR;\n  node [shape=circle, fontsize=10, width=0.4, "
      "fixedsize=true];\n",
      quoted(dag.name().empty() ? "dag" : dag.name()));
  for (thread_id t = 0; t < dag.thread_count(); ++t) {
    out += fmt::format("  subgraph cluster_{} {{\n    label={}; style=\"rounded,filled\"; ", t,
                       quoted(dag.thread_name(t)));
    out += "color=\"#d8dee4\";\n";
    for (node_id v = dag.first(t); v <= dag.last(t); ++v)
      out += fmt::format("    n{} [label={}];\n", v, quoted(dag.node_name(v)));
    out += "  }\n";
  }
  for (node_id v = 0; v < dag.node_count(); ++v)
    dag.each_edge(v, [&](const explicit_dag::edge& e) {
      out += fmt::format("  n{} -> n{}", v, e.to);
      if (e.kind == edge_kind::spawn) out += " [style=bold]";
      if (e.kind == edge_kind::join) out += " [style=dashed, constraint=false]";
      out += ";\n";
    });
  return out + "}\n";
}

}  // namespace heist::lab
