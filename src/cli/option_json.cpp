#include "cli/option_json.hpp"

#include <nlohmann/json.hpp>

namespace heist::cli {

namespace {

using json = nlohmann::ordered_json;

// An integer is written as a number: it was checked when it was set.
json value_of(const workloads::option_text& option) {
  const bool is_number = option.kind == workloads::option_kind::integer && !option.text.empty();
  return is_number ? json(std::stoll(option.text)) : json(option.text);
}

json json_of(const workloads::option_spec& spec) {
  using enum workloads::option_kind;
  json result = {{"name", spec.name}, {"help", spec.help}};
  switch (spec.kind) {
    case integer:
      result["kind"] = "integer";
      result["min"] = spec.min;
      result["max"] = spec.max;
      break;
    case bytes:
      result["kind"] = "bytes";
      result["min"] = spec.min;
      result["max"] = spec.max;
      break;
    case choice:
      result["kind"] = "choice";
      result["choices"] = spec.choices;
      break;
    case path:
      result["kind"] = "path";
      break;
    case files:
      result["kind"] = "files";
      break;
  }
  if (!spec.default_value.empty())
    result["default"] = value_of({"", spec.kind, spec.default_value});
  return result;
}

}  // namespace

std::string on_one_line(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json json_of(const std::vector<workloads::option_spec>& options) {
  json result = json::array();
  for (const auto& spec : options) result.push_back(json_of(spec));
  return result;
}

json json_of(const std::vector<workloads::option_text>& given) {
  json result = json::object();
  for (const auto& each : given) result[each.name] = value_of(each);
  return result;
}

}  // namespace heist::cli
