// What heist has itself.
#include <array>
#include <memory>

#include "cli/args/parse_report.hpp"
#include "cli/args/parse_run.hpp"
#include "cli/args/parse_top.hpp"
#include "cli/args/suggest.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"

namespace heist::cli {

namespace {

// A command that takes one option or argument, which goes to a field of its request.
template <class Request, class Field>
action add_small(arguments& own, const char* names, Field Request::*to, const char* help,
                 int (*run)(const Request&, output&)) {
  const auto request = std::make_shared<Request>();
  own.add({names, &(request.get()->*to), help});
  return [request, run, &own](const call& with) {
    refuse_extras(own.extras(), own.name());
    return run(*request, with.out);
  };
}

constexpr std::array all = {
    built_in_command{"run",
                     [](arguments& own) {
                       return read_and(add_run(own), [](const run_request& r, const call& with) {
                         return run(r, with.out, with.err);
                       });
                     }},
    built_in_command{"report",
                     [](arguments& own) {
                       return read_and(add_report(own),
                                       [](const report_request& r, const call& with) {
                                         return report_trace(r, with.out);
                                       });
                     }},
    built_in_command{"top",
                     [](arguments& own) {
                       return read_and(add_top(own), [](const top_request& r, const call& with) {
                         return top(r, with.out);
                       });
                     }},
    built_in_command{"list",
                     [](arguments& own) {
                       return add_small(own, "--json", &list_request::json,
                                        "with their options, an object a line", list);
                     }},
    built_in_command{"presets",
                     [](arguments& own) {
                       return add_small(own, "--json", &presets_request::json, "an object a line",
                                        list_presets);
                     }},
    built_in_command{"explain",
                     [](arguments& own) {
                       return add_small(own, "NAME", &explain_request::name,
                                        "of a field or a column [all, a line each]", explain);
                     }},
    built_in_command{"info",
                     [](arguments& own) {
                       return add_small(own, "--json", &info_request::json, "as an object", info);
                     }},
};

}  // namespace

commands core_commands() { return all; }

}  // namespace heist::cli
