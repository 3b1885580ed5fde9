// Messages for unknown words on a command line: "did you mean" with the nearest known name, or the
// list of known names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heist::cli {

// The name with the fewest letters to insert, delete, replace or swap with their neighbour; empty
// if that is more than a third of its length, and more than one, or all that was given.
[[nodiscard]] std::string_view nearest_name(std::string_view wrong,
                                            const std::vector<std::string_view>& names);

// "unknown command 'rum': did you mean 'run'?", or the known names if none is similar.
[[nodiscard]] std::string unknown(std::string_view what, std::string_view wrong,
                                  const std::vector<std::string_view>& names,
                                  std::string_view where_to_look);

// Throws usage_error for the first argument that is left over, if there is one. `command` is the
// command's name, as "theory bounds".
void refuse_extras(std::vector<std::string> extras, std::string_view command);

}  // namespace heist::cli
