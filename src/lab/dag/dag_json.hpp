// DAGs as JSON files: the format is described in docs/lab.md and docs/dag.schema.json.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lab/dag/explicit_dag.hpp"

namespace heist::lab {

// Larger files are refused before they are read in.
inline constexpr std::size_t max_dag_file = std::size_t{128} << 20U;  // bytes

// What is wrong is said in one line that begins with "file:line:column: "; columns count characters. Throws
// usage_error. Memory is a small multiple of the text; nothing recurses, and values nested deeper than the
// format has them are refused where they begin.
[[nodiscard]] explicit_dag dag_from_json(std::string_view text, std::string_view file);

// Throws resource_error where the file can't be read.
[[nodiscard]] explicit_dag dag_from_file(const std::string& path);

// A file that gives the same DAG again. Every thread and instruction has its name in it where the DAG has
// names of its own; where not, a thread's instructions are a number.
[[nodiscard]] std::string dag_to_json(const explicit_dag& dag);

}  // namespace heist::lab
