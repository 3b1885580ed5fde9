#include "cli/report/report.hpp"

#include <memory>

#include <heist/error.hpp>

#include "cli/args/suggest.hpp"

namespace heist::cli {

reader<report_request> add_report(arguments& own) {
  const auto given = std::make_shared<report_request>();
  report_request& r = *given;
  own.add({"FILE", &r.file, "a trace that HEIST_TRACE or pool::stop_trace() has written"});
  own.add({"--json", &r.json, "an object, and no text"});
  own.add({"--profile", &r.profile,
           "a profile of the same run, from HEIST_PROFILE=workspan:FILE: it is part of the report",
           "FILE"});
  own.add({"-o,--html", &r.page, "a page to look at, which works offline", "FILE"});
  own.add({"--convert", &r.convert,
           "the trace once more: NAME.json for Perfetto and Chrome, or NAME.htrace", "FILE"});
  return [given, &own](const std::string&) {
    refuse_extras(own.extras(), "report");
    if (given->file.empty())
      throw usage_error("report: which trace? HEIST_TRACE=t.json heist run fib records one");
    const auto& name = given->convert;
    if (!name.empty() && !name.ends_with(".json") && !name.ends_with(".htrace"))
      throw usage_error("report: --convert takes a name that ends in .json or .htrace, not '" +
                        name + "'");
    return *given;
  };
}

}  // namespace heist::cli
