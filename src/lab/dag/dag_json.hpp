// DAGs as JSON files: the format is described in docs/lab.md and docs/dag.schema.json.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lab/dag/explicit_dag.hpp"

namespace heist::lab {

// Larger files are refused before they are read in.
inline constexpr std::size_t max_dag_file = std::size_t{128} << 20U;  // bytes

// Throws usage_error for what is wrong, with one line that begins with "file:line:column: ";
// columns count characters. The memory used is a small multiple of the text. Nothing recurses:
// values nested deeper than the format has them are refused where they begin.
[[nodiscard]] explicit_dag dag_from_json(std::string_view text, std::string_view file);

// Throws resource_error where the file can't be read.
[[nodiscard]] explicit_dag dag_from_file(const std::string& path);

// The text of a file that gives the same DAG again. It names every thread, and the instructions of
// threads that have names for them; of other threads it gives the number of instructions.
[[nodiscard]] std::string dag_to_json(const explicit_dag& dag);

}  // namespace heist::lab
