#include "lab/dag/dag_json.hpp"

#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lab/dag/dag_json_parts.hpp"
#include "report/markup.hpp"
#include "report/text_file.hpp"

namespace heist::lab {

namespace {

// Finds the place in the DAG that a name means.
class names {
 public:
  names(const dag_file_parts& parts, const text_position& text) : source_(parts.source) {
    for (thread_id t = 0; t < source_.threads.size(); ++t)
      if (!threads_.emplace(thread_name(t), t).second)
        text.fail(parts.thread_places[t], fmt::format("a second thread {}", thread_name(t)));
    for (thread_id t = 0; t < source_.threads.size(); ++t) {
      const auto& given = source_.threads[t].names;
      for (std::uint32_t i = 0; i < given.size(); ++i)
        if (!nodes_.emplace(given[i], dag_source::place{t, i}).second || by_number(given[i]))
          text.fail(parts.name_places[t][i], fmt::format("a second instruction {}", given[i]));
    }
  }

  [[nodiscard]] std::optional<thread_id> thread(const std::string& name) const {
    const auto found = threads_.find(name);
    return found == threads_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::optional<dag_source::place> node(const std::string& name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? by_number(name) : std::optional(found->second);
  }

 private:
  [[nodiscard]] std::string thread_name(thread_id t) const {
    const auto& name = source_.threads[t].name;
    return name.empty() ? fmt::format("G{}", t + 1) : name;
  }

  // "G2.3" is the third instruction of G2, where G2 has no names for its instructions.
  [[nodiscard]] std::optional<dag_source::place> by_number(const std::string& name) const {
    const auto dot = name.rfind('.');
    if (dot == std::string::npos) return std::nullopt;
    const auto found = threads_.find(name.substr(0, dot));
    if (found == threads_.end() || !source_.threads[found->second].names.empty())
      return std::nullopt;
    std::uint32_t number = 0;
    const char* const end = name.data() + name.size();
    const auto result = std::from_chars(name.data() + dot + 1, end, number);
    if (result.ec != std::errc() || result.ptr != end || name[dot + 1] == '0' ||
        number > source_.threads[found->second].length)
      return std::nullopt;
    return dag_source::place{found->second, number - 1};
  }

  // The maps are ordered, so that no file can make them slow, as colliding hashes would.
  const dag_source& source_;
  std::map<std::string, thread_id> threads_;
  std::map<std::string, dag_source::place> nodes_;
};

void resolve(dag_file_parts& parts, const text_position& text) {
  const names known(parts, text);
  const auto node = [&](const dag_file_parts::edge& edge, const std::string& name) {
    const auto place = known.node(name);
    if (!place) text.fail(edge.at, fmt::format("no instruction is called {}", name));
    return *place;
  };
  for (const auto& edge : parts.spawns) {
    const auto child = known.thread(edge.to);
    if (!child) text.fail(edge.at, fmt::format("no thread is called {}", edge.to));
    parts.source.spawns.push_back({node(edge, edge.from), *child});
  }
  for (const auto& edge : parts.joins)
    parts.source.joins.push_back({node(edge, edge.from), node(edge, edge.to)});
}

}  // namespace

explicit_dag dag_from_json(std::string_view text, std::string_view file) {
  const text_position position(text, file);
  if (text.size() > max_dag_file)
    position.fail(fmt::format("larger than {} MiB", max_dag_file >> 20U));
  auto parts = parse_dag_file(position);
  resolve(parts, position);
  try {
    return explicit_dag(std::move(parts.source));
  } catch (const dag_error& error) {
    switch (error.where()) {
      case dag_error::part::thread:
        position.fail(parts.thread_places[error.index()], error.what());
      case dag_error::part::spawn:
        position.fail(parts.spawns[error.index()].at, error.what());
      case dag_error::part::join:
        position.fail(parts.joins[error.index()].at, error.what());
      case dag_error::part::whole:
        break;
    }
    position.fail(error.what());
  }
}

explicit_dag dag_from_file(const std::string& path) {
  return dag_from_json(report::read_text_file(path, max_dag_file), path);
}

std::string dag_to_json(const explicit_dag& dag) {
  std::string out = fmt::format("{{\n  \"format\": \"{}\",\n", dag_format_name);
  if (!dag.name().empty()) out += "  \"name\": " + report::json_text(dag.name()) + ",\n";
  if (dag.is_in_ns()) out += "  \"unit\": \"ns\",\n";
  const auto list = [&dag](thread_id t, auto of) {
    std::string numbers;
    for (node_id v = dag.first(t); v <= dag.last(t); ++v)
      numbers += (v == dag.first(t) ? "" : ", ") + fmt::to_string(of(v));
    return numbers;
  };
  if (!dag.regions().empty()) {
    std::string names;
    for (const auto& name : dag.regions())
      names += (names.empty() ? "" : ", ") + report::json_text(name);
    out += "  \"regions\": [" + names + "],\n";
  }
  out += "  \"threads\": [";
  for (thread_id t = 0; t < dag.thread_count(); ++t) {
    out += t == 0 ? "\n" : ",\n";
    out += fmt::format("    {{\"name\": {}, \"frame\": {}, ", report::json_text(dag.thread_name(t)),
                       dag.frame(t));
    if (dag.priority(t) != 0) out += fmt::format("\"priority\": {}, ", dag.priority(t));
    if (dag.has_weights())
      out += "\"weights\": [" + list(t, [&](node_id v) { return dag.weight(v); }) + "], ";
    if (!dag.regions().empty())
      out += "\"regions\": [" + list(t, [&](node_id v) { return dag.region(v); }) + "], ";
    out += "\"instructions\": ";
    if (dag.has_names(t)) {
      for (node_id v = dag.first(t); v <= dag.last(t); ++v)
        out += (v == dag.first(t) ? "[" : ", ") + report::json_text(dag.node_name(v));
      out += "]}";
    } else {
      out += fmt::format("{}}}", dag.length(t));
    }
  }
  const auto add_edges = [&](std::string_view field, auto each) {
    out += fmt::format(",\n  \"{}\": [", field);
    bool first = true;
    each([&](const std::string& from, const std::string& to) {
      out += fmt::format("{}[{}, {}]", first ? "\n    " : ",\n    ", report::json_text(from),
                         report::json_text(to));
      first = false;
    });
    out += first ? "]" : "\n  ]";
  };
  out += "\n  ]";
  add_edges("spawns", [&](auto add) {
    for (node_id v = 0; v < dag.node_count(); ++v)
      if (dag.spawned_by(v) != no_id) add(dag.node_name(v), dag.thread_name(dag.spawned_by(v)));
  });
  add_edges("joins", [&](auto add) {
    for (node_id v = 0; v < dag.node_count(); ++v)
      for (const node_id to : dag.joins_from(v)) add(dag.node_name(v), dag.node_name(to));
  });
  return out + "\n}\n";
}

}  // namespace heist::lab
