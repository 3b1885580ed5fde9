// "Did you mean": the nearest of the names that there are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heist::cli {

// The name with the fewest letters to insert, delete, replace or swap with their neighbour; empty
// if that is more than a third of its length and one.
[[nodiscard]] std::string_view nearest_name(std::string_view wrong,
                                            const std::vector<std::string_view>& names);

// "unknown command 'rum': did you mean 'run'?", or where the names are to be found.
[[nodiscard]] std::string unknown(std::string_view what, std::string_view wrong,
                                  const std::vector<std::string_view>& names,
                                  std::string_view where_to_look);

}  // namespace heist::cli
