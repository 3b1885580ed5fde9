#include "cli/args/bound_options.hpp"

#include <utility>

#include <fmt/format.h>

#include "cli/describe/description.hpp"

namespace heist::cli {

using workloads::option_kind;
using workloads::option_spec;
using workloads::option_values;

namespace {

const char* type_name(option_kind kind) {
  if (kind == option_kind::bytes) return "BYTES";
  if (kind == option_kind::path) return "FILE";
  return kind == option_kind::integer ? "N" : "NAME";
}

}  // namespace

void bound_options::add(CLI::App& app, const std::vector<option_spec>& specs) {
  for (const auto& spec : specs) {
    if (spec.kind == option_kind::files) {
      app.add_option(spec.name, files_, spec.help);
      continue;
    }
    auto& one = given_.emplace_back(given{spec.name, {}, nullptr});
    auto help = spec.help;
    if (!spec.default_value.empty()) help += fmt::format(" [{}]", spec.default_value);
    // The lab's commands take both names too.
    const auto* const prefix = spec.name == "workers" ? "-P,--" : "--";
    one.option = app.add_option(prefix + spec.name, one.text, help);
    one.option->type_name(type_name(spec.kind));
    one.option->take_last();
    if (!spec.choices.empty()) note_choices(*one.option, spec.choices);
  }
}

void bound_options::copy_to(option_values& values) const {
  for (const auto& one : given_)
    if (one.option->count() > 0) values.set(one.name, one.text);
  for (const auto& file : files_) values.add_file(file);
}

std::string bound_options::first_given() const {
  for (const auto& one : given_)
    if (one.option->count() > 0) return one.name;
  return {};
}

option_spec pool_option(std::string name, std::string help, std::int64_t min, std::int64_t max) {
  return {std::move(name), std::move(help), option_kind::integer, "", min, max, {}};
}

// CLI11 leaves "--", which ends the options, among them.
std::vector<std::string> extras_of(const CLI::App& app) {
  auto extras = app.remaining(true);
  std::erase(extras, "--");
  return extras;
}

}  // namespace heist::cli
