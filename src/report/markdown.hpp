// Results as a Markdown page, for a folder of documents: what was run, and what it showed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/results.hpp"

namespace heist::report {

// `command` is the command line that makes the page again; `pictures` are the names of the files
// that hold pictures_of(of), as seen from the page.
[[nodiscard]] std::string to_markdown(const results& of, std::string_view command,
                                      const std::vector<std::string>& pictures);

}  // namespace heist::report
