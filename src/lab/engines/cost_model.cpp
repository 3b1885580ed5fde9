#include "lab/engines/cost_model.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <heist/error.hpp>

#include "platform/utf8.hpp"
#include "report/text_file.hpp"
#include "report/text_position.hpp"

namespace heist::lab {

namespace {

using json = nlohmann::json;

constexpr std::string_view format_name = "heist costs 1";
constexpr int deepest = 8;  // levels of objects and arrays
constexpr std::size_t most_distances = 16;

std::string shown(std::string_view text, std::size_t most = 60) {
  return platform::printable(text, most);
}
std::string as_text(const json& value) {
  return shown(value.dump(-1, ' ', true, json::error_handler_t::replace));
}

class cost_reader {
 public:
  cost_reader(std::string_view text, std::string_view file) : text_(text, file) {}

  cost_model operator()() {
    const json whole = parse();
    if (!whole.is_object()) text_.fail("costs are an object");
    only(whole, "", {"format", "machine", "workers", "costs", "distances"});
    const auto& format = required(whole, "", "format");
    if (format != format_name)
      text_.fail(fmt::format("format is '{}', not {}", format_name, as_text(format)));
    const auto& costs = required(whole, "", "costs");
    if (!costs.is_object()) text_.fail(fmt::format("costs is an object, not {}", as_text(costs)));
    only(costs, "costs.",
         {"instruction_ns", "fork_ns", "steal_ns", "failed_attempt_ns", "quiet_steal_ns",
          "suspend_ns", "wake_ns", "waking_ns", "awake_ns", "busy_factor"});
    cost_model result;
    const auto read = [&](const char* name, double& field, double least, double greatest) {
      field =
          number(required(costs, "costs.", name), std::string("costs.") + name, least, greatest);
    };
    read("fork_ns", result.fork_ns, 0, cost_model::max_ns);
    read("steal_ns", result.steal_ns, 0, cost_model::max_ns);
    read("failed_attempt_ns", result.failed_attempt_ns, 1, cost_model::max_ns);
    read("suspend_ns", result.suspend_ns, 0, cost_model::max_ns);
    read("wake_ns", result.wake_ns, 0, cost_model::max_ns);
    result.quiet_steal_ns = result.steal_ns;
    const auto read_if_given = [&](const char* name, double& field, double least, double greatest) {
      if (costs.contains(name)) read(name, field, least, greatest);
    };
    read_if_given("quiet_steal_ns", result.quiet_steal_ns, 0, cost_model::max_ns);
    read_if_given("waking_ns", result.waking_ns, 0, cost_model::max_ns);
    read_if_given("instruction_ns", result.instruction_ns, 1e-3, cost_model::max_ns);
    read_if_given("busy_factor", result.busy_factor, 0.1, 1000);
    if (costs.contains("awake_ns"))
      read("awake_ns", result.awake_ns.emplace(), 0, cost_model::max_ns);
    if (whole.contains("distances")) read_distances(whole["distances"], result);
    return result;
  }

 private:
  // Refuses values that are nested too deeply, and fields that are given twice, while it reads.
  json parse() {
    std::vector<std::set<std::string>> open;
    const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
      using kind = json::parse_event_t;
      if (depth >= deepest) text_.fail(fmt::format("more than {} objects in each other", deepest));
      if (event == kind::object_start) open.emplace_back();
      if (event == kind::object_end) open.pop_back();
      if (event == kind::key && !open.back().insert(parsed.get<std::string>()).second)
        text_.fail(fmt::format("field '{}' stands twice", shown(parsed.get<std::string>())));
      return true;
    };
    try {
      return json::parse(text_.text(), check);
    } catch (const json::parse_error& error) {
      std::string message = error.what();
      if (const auto end = message.find("] "); end != std::string::npos) message.erase(0, end + 2);
      if (message.starts_with("parse error at line "))
        if (const auto colon = message.find(": "); colon != std::string::npos)
          message.erase(0, colon + 2);
      text_.fail(error.byte == 0 ? 0 : error.byte - 1, "not JSON: " + shown(message, 160));
    } catch (const json::out_of_range& error) {
      text_.fail("a number is too large");
    }
  }

  void only(const json& object, std::string_view prefix, const std::set<std::string>& known) const {
    for (const auto& [name, value] : object.items())
      if (!known.contains(name))
        text_.fail(fmt::format("unknown field '{}{}'", prefix, shown(name)));
  }

  [[nodiscard]] const json& required(const json& object, std::string_view prefix,
                                     const char* name) const {
    const auto found = object.find(name);
    if (found == object.end()) text_.fail(fmt::format("the field '{}{}' is missing", prefix, name));
    return *found;
  }

  // Reads a number, or the median of an object as calibrate writes it.
  [[nodiscard]] double number(const json& value, const std::string& name, double least,
                              double greatest) const {
    const json& given = value.is_object() ? required(value, name + '.', "median") : value;
    if (!given.is_number() || !std::isfinite(given.get<double>()) || given.get<double>() < least ||
        given.get<double>() > greatest)
      text_.fail(fmt::format("{} is a number from {:g} to {:g}, not {}", name, least, greatest,
                             as_text(given)));
    return given.get<double>();
  }

  void read_distances(const json& all, cost_model& costs) const {
    if (!all.is_array() || all.empty() || all.size() > most_distances)
      text_.fail(fmt::format("distances is an array of 1 to {} objects", most_distances));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto name = fmt::format("distances[{}]", i);
      if (!all[i].is_object())
        text_.fail(fmt::format("{} is an object, not {}", name, as_text(all[i])));
      only(all[i], name + '.', {"name", "processors", "steal_ns", "failed_attempt_ns"});
      const auto read = [&](const char* field, double least, double greatest) {
        return number(required(all[i], name + '.', field), name + '.' + field, least, greatest);
      };
      const double processors = read("processors", 1, 1e9);
      if (processors != std::floor(processors))
        text_.fail(fmt::format("{}.processors is a whole number", name));
      costs.distances.push_back({static_cast<std::uint32_t>(processors),
                                 read("steal_ns", 0, cost_model::max_ns),
                                 read("failed_attempt_ns", 1, cost_model::max_ns)});
      if (i > 0 && costs.distances[i].processors <= costs.distances[i - 1].processors)
        text_.fail(fmt::format("{}.processors is not more than that of the one before", name));
    }
  }

  report::text_position text_;
};

}  // namespace

cost_model costs_from_json(std::string_view text, std::string_view file) {
  if (text.size() > max_cost_file)
    throw usage_error(
        fmt::format("{}: a file with costs has at most {} bytes", file, max_cost_file));
  return cost_reader(text, file)();
}

cost_model costs_from_file(const std::string& path) {
  return costs_from_json(report::read_text_file(path, max_cost_file), path);
}

}  // namespace heist::lab
