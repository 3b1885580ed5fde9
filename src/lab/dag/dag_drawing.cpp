#include "lab/dag/dag_drawing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/markup.hpp"

namespace heist::lab {

namespace {

constexpr double column = 52, row = 78, radius = 16, margin = 20, title_room = 34, legend_room = 40;
constexpr double block = 22;  // from a row's middle to its block's edge

constexpr std::string_view style = R"(<style>
.dag .ground{fill:#ffffff}.dag .ink{fill:#1f2328}
.dag .block{fill:#eef1f4;stroke:#c3cad2}.dag .node{fill:#ffffff;stroke:#57606a}
.dag .e{fill:none;stroke:#57606a;stroke-width:1.5}.dag .s{fill:none;stroke:#0072b2;stroke-width:1.8}
.dag .j{fill:none;stroke:#d55e00;stroke-width:1.5;stroke-dasharray:5 3}
.dag .long{stroke-width:3}
.dag .ae{fill:#57606a}.dag .as{fill:#0072b2}.dag .aj{fill:#d55e00}
@media (prefers-color-scheme: dark) {
.dag .ground{fill:#16181d}.dag .ink{fill:#e6e6e6}
.dag .block{fill:#23272e;stroke:#444b55}.dag .node{fill:#16181d;stroke:#9aa4af}
.dag .e{stroke:#9aa4af}.dag .s{stroke:#56b4e9}.dag .j{stroke:#ff9e57}
.dag .ae{fill:#9aa4af}.dag .as{fill:#56b4e9}.dag .aj{fill:#ff9e57}
}
</style>
)";

class picture {
 public:
  explicit picture(const explicit_dag& dag) : dag_(dag) {
    find_columns();
    find_rows();
    on_longest_.assign(dag.node_count(), false);
    for (const node_id v : dag.critical_path()) on_longest_[v] = true;
  }

  std::string svg() {
    const double width = std::max(2 * margin + 30 + column * columns_, 560.0);
    const double height = title_room + 2 * margin + row * rows_ + legend_room;
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"dag\" viewBox=\"0 0 {0:g} {1:g}\" "
        "width=\"{0:g}\" height=\"{1:g}\" role=\"img\" font-family=\"system-ui, sans-serif\" "
        "font-size=\"12\">\n<title>{2}</title>\n{3}<defs>",
        width, height, report::escape_markup(dag_.name()), style);
    for (const char kind : {'e', 's', 'j'})
      out_ += fmt::format(
          "<marker id=\"dag-{0}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
          "markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"a{0}\" "
          "d=\"M0 0L8 4L0 8z\"/></marker>",
          kind);
    out_ += fmt::format("</defs>\n<rect class=\"ground\" width=\"{:g}\" height=\"{:g}\"/>\n", width,
                        height);
    out_ += fmt::format(
        "<text class=\"ink\" x=\"{:g}\" y=\"24\" font-size=\"15\" font-weight=\"600\">{}</text>\n",
        margin, report::escape_markup(dag_.name()));
    for (thread_id t = 0; t < dag_.thread_count(); ++t) draw_block(t);
    for (node_id v = 0; v < dag_.node_count(); ++v)
      dag_.each_edge(v, [&](const explicit_dag::edge& e) { draw_edge(v, e); });
    for (node_id v = 0; v < dag_.node_count(); ++v) draw_node(v);
    legend(height - 20);
    return out_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double x(node_id v) const { return margin + 40 + column * column_[v]; }
  [[nodiscard]] double y(node_id v) const { return y_of_row(row_[dag_.thread_of(v)]); }
  [[nodiscard]] static double y_of_row(std::uint32_t r) {
    return title_room + margin + row * (r + 0.4);
  }

  void find_columns() {
    column_.assign(dag_.node_count(), 0);
    std::vector<std::uint32_t> waits;
    for (node_id v = 0; v < dag_.node_count(); ++v) waits.push_back(dag_.in_degree(v));
    std::vector<node_id> order = {dag_.first(0)};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const node_id v = order[i];
      columns_ = std::max(columns_, column_[v] + 1);
      dag_.each_edge(v, [&](const explicit_dag::edge& e) {
        column_[e.to] = std::max(column_[e.to], column_[v] + 1);
        if (--waits[e.to] == 0) order.push_back(e.to);
      });
    }
  }

  // Below the parent, in the first row that is free over the thread's columns.
  void find_rows() {
    struct taken {
      std::uint32_t from, to;
    };
    std::vector<std::vector<taken>> rows;
    row_.assign(dag_.thread_count(), 0);
    std::vector<thread_id> order(dag_.thread_count());
    for (thread_id t = 0; t < dag_.thread_count(); ++t) order[t] = t;
    std::sort(order.begin(), order.end(), [&](thread_id a, thread_id b) {
      return std::pair(dag_.depth(a), a) < std::pair(dag_.depth(b), b);
    });
    for (const thread_id t : order) {
      const taken needs{column_[dag_.first(t)], column_[dag_.last(t)] + 1};
      std::uint32_t r = t == 0 ? 0 : row_[dag_.parent(t)] + 1;
      for (;; ++r) {
        if (r >= rows.size()) rows.resize(r + 1);
        if (std::none_of(rows[r].begin(), rows[r].end(), [&](const taken& other) {
              return needs.from <= other.to && other.from <= needs.to;
            }))
          break;
      }
      rows[r].push_back(needs);
      row_[t] = r;
    }
    rows_ = static_cast<std::uint32_t>(rows.size());
  }

  void draw_block(thread_id t) {
    const double from = x(dag_.first(t)) - block;
    const double to = x(dag_.last(t)) + block;
    const double middle = y_of_row(row_[t]);
    out_ += fmt::format(
        "<rect class=\"block\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "rx=\"10\"/>\n",
        from, middle - block, to - from, 2 * block);
    out_ += fmt::format(
        "<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" "
        "font-style=\"italic\">{}</text>\n",
        from - 4, middle + 4, report::escape_markup(dag_.thread_name(t)));
  }

  void draw_edge(node_id from, const explicit_dag::edge& e) {
    const char kind = e.kind == edge_kind::proceed ? 'e' : e.kind == edge_kind::spawn ? 's' : 'j';
    const bool longest =
        on_longest_[from] && on_longest_[e.to] && column_[from] + 1 == column_[e.to];
    const double x1 = x(from), y1 = y(from), x2 = x(e.to), y2 = y(e.to);
    std::string path;
    if (e.kind == edge_kind::proceed) {
      path = fmt::format("M{:.1f} {:.1f}H{:.1f}", x1 + radius, y1, x2 - radius);
    } else {
      // Leaves and enters at the side that looks to the other row.
      const double side = y2 > y1 ? 1 : -1;
      const double leave = y1 + side * radius;
      const double enter = y2 == y1 ? y2 + side * radius : y2 - side * radius;
      const double bend = y2 == y1 ? 34 : std::min(std::abs(y2 - y1) * 0.5, 60.0);
      path = fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", x1 + 5, leave,
                         x1 + 12, leave + side * bend * 0.6, x2 - 12,
                         enter + (y2 == y1 ? side : -side) * bend * 0.6, x2 - 5, enter);
    }
    out_ += fmt::format("<path class=\"{}{}\" marker-end=\"url(#dag-{})\" d=\"{}\"/>\n", kind,
                        longest ? " long" : "", kind, path);
  }

  void draw_node(node_id v) {
    const auto name = dag_.node_name(v);
    const double size = std::min(11.0, 50.0 / static_cast<double>(name.size()));
    out_ += fmt::format("<circle class=\"node{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\"/>\n",
                        on_longest_[v] ? " long" : "", x(v), y(v), radius);
    out_ += fmt::format(
        "<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" "
        "font-size=\"{:.1f}\">{}</text>\n",
        x(v), y(v) + size / 3, size, report::escape_markup(name));
  }

  void legend(double at) {
    double from = margin;
    for (const auto& [kind, name] : {std::pair{'e', "continue"}, {'s', "spawn"}, {'j', "join"}}) {
      out_ +=
          fmt::format("<path class=\"{0}\" marker-end=\"url(#dag-{0})\" d=\"M{1:g} {2:g}h30\"/>\n",
                      kind, from, at);
      out_ += fmt::format("<text class=\"ink\" x=\"{:g}\" y=\"{:g}\">{}</text>\n", from + 38,
                          at + 4, name);
      from += 110;
    }
    out_ += fmt::format("<path class=\"e long\" d=\"M{:g} {:g}h30\"/>\n", from, at);
    out_ += fmt::format("<text class=\"ink\" x=\"{:g}\" y=\"{:g}\">on a longest path</text>\n",
                        from + 38, at + 4);
  }

  const explicit_dag& dag_;
  std::vector<std::uint32_t> column_;
  std::uint32_t columns_ = 0;
  std::vector<std::uint32_t> row_;
  std::uint32_t rows_ = 0;
  std::vector<bool> on_longest_;
  std::string out_;
};

}  // namespace

std::string dag_to_svg(const explicit_dag& dag) {
  if (dag.node_count() > max_drawn_nodes)
    throw usage_error(fmt::format("a picture shows at most {} instructions, and this DAG has {}",
                                  max_drawn_nodes, dag.node_count()));
  return picture(dag).svg();
}

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
