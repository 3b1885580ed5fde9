#include "cli/bench/requests.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <heist/config.hpp>
#include <heist/error.hpp>
#include <heist/presets.hpp>

#include "bench/rounds.hpp"
#include "bench/suite/suites.hpp"
#include "cli/args/bound_options.hpp"
#include "cli/args/numbers.hpp"
#include "cli/args/suggest.hpp"

namespace heist::cli {

using workloads::option_spec;
using workloads::option_values;

namespace {

std::vector<option_spec> bench_common_options() {
  return {pool_option("workers", "workers, P [see heist info]", 1, pool_config::max_workers),
          pool_option("repeat", "rounds of measurements [5; quick: 2]", 1, 1000)};
}

template <class All>
std::vector<std::string> names_of(const All& all) {
  std::vector<std::string> names;
  for (const auto& each : all) names.emplace_back(each.name);
  return names;
}

class bench_parser {
 public:
  explicit bench_parser(arguments& own)
      : own_(own),
        list_(own.add_command("list", "the benchmarks, a line each")),
        show_(own.add_command("show", "results that --json wrote, from a file")) {
    add_common(own_, common_);
    own_.add({"--suite", &suite_name_, "whole programs beside the rivals: see list", "NAME",
              names_of(bench::suites())});
    own_.add({"--preset", &preset_names_, "a preset of heist in a suite, again for more [heist]",
              "NAME", names_of(presets::all())});
    own_.add({"--rivals", &rivals_folder_, "where the files heist-rival-NAME lie [beside heist]",
              "FOLDER"});
    add_check(own_);
    list_.add({"--json", &json_, "with their options, an object a line"});
    show_.add({"file", &file_, "the file"});
    add_forms(show_);
    for (const auto& benchmark : bench::all()) {
      auto& added = choices_.emplace_back();
      added.benchmark = &benchmark;
      added.own = &own_.add_command(std::string(benchmark.name), std::string(benchmark.summary));
      added.options.add(*added.own, benchmark.options(bench::scale::full));
      add_common(*added.own, added.common);
      add_check(*added.own);
    }
  }

  [[nodiscard]] any_bench_request to_request(const std::string& command) const {
    const auto extras = own_.extras();
    if (list_.is_given()) {
      refuse_extras(extras, "bench list");
      refuse_settings(csv_                 ? "csv"
                      : !html_.empty()     ? "html"
                      : !markdown_.empty() ? "markdown"
                                           : "",
                      "bench list");
      return bench_list_request{json_};
    }
    if (markdown_has_no_stem())
      throw usage_error(fmt::format("bench: --markdown '{}' does not end in .md", markdown_));
    const bench_output form{form_of(), html_, markdown_, command};
    if (own_.is_given("--suite")) return to_suite_request(extras, form);
    for (const auto* only : {"--preset", "--rivals"})
      if (own_.is_given(only)) throw usage_error(fmt::format("bench: {} goes with --suite", only));
    if (show_.is_given()) {
      refuse_extras(extras, "bench show");
      refuse_settings("", "bench show");
      if (file_.empty()) throw usage_error("bench show needs a file that heist bench --json wrote");
      return bench_show_request{file_, form};
    }
    const auto given = std::find_if(choices_.begin(), choices_.end(),
                                    [](const choice& each) { return each.own->is_given(); });
    if (given == choices_.end()) refuse_benchmark(extras);
    const std::string name(given->benchmark->name);
    refuse_extras(extras, "bench " + name);
    const auto scale = quick_ ? bench::scale::quick : bench::scale::full;
    bench_request request{
        given->benchmark, option_values(name, given->benchmark->options(scale)), {}, quick_, form,
        baseline()};
    given->options.copy_to(request.values);
    option_values common("bench", bench_common_options());
    common_.copy_to(common);
    given->common.copy_to(common);
    if (!common.text("workers").empty())
      request.settings.workers = static_cast<unsigned>(common.integer("workers"));
    request.settings.repeat = quick_ ? 2 : 5;
    if (!common.text("repeat").empty())
      request.settings.repeat = static_cast<unsigned>(common.integer("repeat"));
    return request;
  }

 private:
  struct choice {
    const bench::benchmark* benchmark;
    arguments* own;
    bound_options options;
    bound_options common;
  };

  // It may stand before or after the benchmark's name; the one after it wins.
  void add_common(arguments& to, bound_options& options) {
    options.add(to, bench_common_options());
    to.add({"--quick", &quick_, "small sizes, to see that it works"});
    add_forms(to);
  }

  void add_check(arguments& to) {
    to.add({"--check", &baseline_file_, "ends with 4 if heist is slower than in these results",
            "FILE"});
    to.add({"--tolerance", &tolerance_, "for --check: how many times slower is allowed [3]", "X"});
  }

  void add_forms(arguments& to) {
    to.add({"--json", &json_, "one object, which heist bench show reads"});
    to.add({"--csv", &csv_, "a line for each figure"});
    to.add({"--html", &html_, "writes a page with charts, tables and the data", "FILE"});
    to.add(
        {"--markdown", &markdown_, "writes a page, FILE.md, and FILE-1.svg ... beside it", "FILE"});
  }

  [[nodiscard]] report::form form_of() const {
    if (json_ && csv_) throw usage_error("bench: --json or --csv, not both");
    return json_ ? report::form::json : csv_ ? report::form::csv : report::form::text;
  }

  // The pictures' names are made of the page's.
  [[nodiscard]] bool markdown_has_no_stem() const {
    return !markdown_.empty() && std::filesystem::path(markdown_).extension() != ".md";
  }

  // Options of a measurement, which these commands don't make.
  void refuse_settings(std::string other, const std::string& command) const {
    if (quick_) other = "quick";
    if (!tolerance_.empty()) other = "tolerance";
    if (!baseline_file_.empty()) other = "check";
    if (other.empty()) other = common_.first_given();
    if (!other.empty()) refuse_extras({"--" + other}, command);
  }

  [[nodiscard]] bench_suite_request to_suite_request(const std::vector<std::string>& extras,
                                                     const bench_output& form) const {
    refuse_extras(extras, "bench");
    for (const auto& each : choices_)
      if (each.own->is_given())
        throw usage_error(fmt::format("bench: a suite or {}, not both", each.benchmark->name));
    bench_suite_request request;
    request.suite = bench::find_suite(suite_name_);
    if (request.suite == nullptr) {
      std::vector<std::string_view> names;
      for (const auto& each : bench::suites()) names.push_back(each.name);
      throw usage_error(unknown("suite", suite_name_, names, "heist bench list"));
    }
    option_values common("bench", bench_common_options());
    common_.copy_to(common);
    request.settings.is_quick = quick_;
    request.settings.rounds = quick_ ? 2 : 5;
    if (!common.text("repeat").empty())
      request.settings.rounds = static_cast<unsigned>(common.integer("repeat"));
    auto most = request.suite->workers > 0 ? request.suite->workers : bench::workers_of({});
    if (!common.text("workers").empty()) most = static_cast<unsigned>(common.integer("workers"));
    request.settings.workers = {1};
    if (request.suite->is_curve)
      for (unsigned p = 2; p < most; p *= 2) request.settings.workers.push_back(p);
    if (most > 1) request.settings.workers.push_back(most);
    if (!preset_names_.empty()) request.settings.presets = checked_presets(*request.suite);
    request.printed = form;
    request.settings.rivals_folder = rivals_folder_;
    request.held_against = baseline();
    return request;
  }

  [[nodiscard]] bench_baseline baseline() const {
    if (!tolerance_.empty() && baseline_file_.empty())
      throw usage_error("bench: --tolerance goes with --check");
    return {baseline_file_,
            decimal_number("bench", "--tolerance", tolerance_.empty() ? "3" : tolerance_, 1, 1e6)};
  }

  [[nodiscard]] std::vector<std::string> checked_presets(const bench::suite& suite) const {
    std::vector<std::string_view> names;
    for (const auto& each : presets::all()) names.push_back(each.name);
    for (const auto& name : preset_names_) {
      const auto* preset = presets::find(name);
      if (preset == nullptr) throw usage_error(unknown("preset", name, names, "heist presets"));
      for (const auto& program : suite.programs)
        if (preset->construct == presets::construct_kind::plan &&
            !workloads::find(program.name)->describe().has_only_loops)
          throw usage_error(
              fmt::format("the preset {} has only loops, and {} forks", name, program.name));
    }
    return preset_names_;
  }

  [[noreturn]] static void refuse_benchmark(const std::vector<std::string>& extras) {
    if (extras.empty()) throw usage_error("bench needs a benchmark: see heist bench list");
    if (extras.front().starts_with('-'))
      throw usage_error(
          fmt::format("bench needs a benchmark before '{}': see heist bench list", extras.front()));
    std::vector<std::string_view> names = {"list", "show"};
    for (const auto& benchmark : bench::all()) names.push_back(benchmark.name);
    throw usage_error(unknown("benchmark", extras.front(), names, "heist bench list"));
  }

  arguments& own_;
  arguments &list_, &show_;
  bound_options common_;
  std::deque<choice> choices_;  // a deque: the options keep the addresses of its elements
  bool quick_ = false;
  bool json_ = false, csv_ = false;
  std::string html_, markdown_, file_, suite_name_, rivals_folder_, baseline_file_, tolerance_;
  std::vector<std::string> preset_names_;
};

}  // namespace

reader<any_bench_request> add_bench(arguments& own) {
  const auto parser = std::make_shared<bench_parser>(own);
  return [parser](const std::string& line) { return parser->to_request(line); };
}

}  // namespace heist::cli
