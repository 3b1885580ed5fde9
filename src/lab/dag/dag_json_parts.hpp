// The content of a DAG's file with the place of each part. The parser, which knows JSON, fills it
// in; dag_json.cpp, which knows DAGs, makes the DAG of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/dag/explicit_dag.hpp"
#include "report/text_position.hpp"

namespace heist::lab {

inline constexpr std::string_view dag_format_name = "heist dag 1";

using report::text_offset;
using report::text_position;

struct dag_file_parts {
  struct edge {
    text_offset at = 0;
    std::string from, to;
  };

  dag_source source;  // name and threads; the edges' names are not looked up
  std::vector<text_offset> thread_places;
  std::vector<std::vector<text_offset>> name_places;  // of the instructions, by thread
  std::vector<edge> spawns, joins;
};

// Throws usage_error for text that is not JSON, or that doesn't have the format's form.
[[nodiscard]] dag_file_parts parse_dag_file(const text_position& text);

}  // namespace heist::lab
