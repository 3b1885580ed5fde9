#include "cli/args/parse_report.hpp"

#include <CLI/CLI.hpp>

#include <heist/error.hpp>

#include "cli/args/bound_options.hpp"
#include "cli/args/suggest.hpp"

namespace heist::cli {

struct report_parser::texts {
  report_request request;
};

report_parser::report_parser(CLI::App& root)
    : app_(*root.add_subcommand("report", "what a recorded run says: who worked, and why not")),
      given_(std::make_unique<texts>()) {
  report_request& r = given_->request;
  app_.allow_extras();
  app_.add_option("FILE", r.file, "a trace that HEIST_TRACE or pool::stop_trace() has written");
  app_.add_flag("--json", r.json, "an object, and no text");
  app_.add_option("-o,--html", r.page, "a page to look at, which works offline")->type_name("FILE");
  app_.add_option("--convert", r.convert,
                  "the trace once more: NAME.json for Perfetto and Chrome, or NAME.htrace")
      ->type_name("FILE");
}
report_parser::~report_parser() = default;

bool report_parser::is_given() const { return app_.parsed(); }

report_request report_parser::to_request() const {
  refuse_extras(extras_of(app_), "report");
  const report_request& r = given_->request;
  if (r.file.empty())
    throw usage_error("report: which trace? HEIST_TRACE=t.json heist run fib records one");
  if (!r.convert.empty() && !r.convert.ends_with(".json") && !r.convert.ends_with(".htrace"))
    throw usage_error("report: --convert takes a name that ends in .json or .htrace, not '" +
                      r.convert + "'");
  return r;
}

}  // namespace heist::cli
