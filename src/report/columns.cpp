#include "report/columns.hpp"

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/markup.hpp"

namespace heist::report {

namespace {

using json = nlohmann::ordered_json;

json to_json(const summary& of) {
  json result = {{"mean", of.mean}, {"least", of.least}, {"greatest", of.greatest}};
  if (of.count < 2) return result;
  const auto interval = mean_interval(of);
  result["low_95"] = interval.low;
  result["high_95"] = interval.high;
  return result;
}

std::string number_text(double number, number_format format) {
  switch (format.kind) {
    case number_format::fixed:
      break;
    case number_format::general:
      return fmt::format("{:.{}g}", number, format.digits);
    case number_format::percent:
      return fmt::format("{:.{}f}%", 100 * number, format.digits);
  }
  return fmt::format("{:.{}f}", number, format.digits);
}

// Calls `number` for what is one, and answers `nothing` for no value and for a summary of none.
template <class Number>
std::string cell_of(const value& what, std::string_view nothing, Number&& number) {
  if (const auto* whole = std::get_if<std::uint64_t>(&what)) return fmt::to_string(*whole);
  if (const auto* text = std::get_if<std::string>(&what)) return *text;
  if (const auto* real = std::get_if<double>(&what)) return number(*real);
  if (const auto* of = std::get_if<summary>(&what); of != nullptr && of->count > 0)
    return number(of->mean);
  return std::string(nothing);
}

}  // namespace

std::string text_cell(const value& what, number_format format) {
  return cell_of(what, "-", [format](double number) { return number_text(number, format); });
}

std::string csv_cell(const value& what) {
  return cell_of(what, "", [](double number) { return fmt::format("{:.10g}", number); });
}

std::string page_cell(const value& what, number_format format) {
  return cell_of(what, "-", [format](double number) {
    return format.kind == number_format::percent ? number_text(number, format) : figure(number);
  });
}

double number_of(const value& what) {
  if (const auto* whole = std::get_if<std::uint64_t>(&what)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&what)) return *real;
  if (const auto* of = std::get_if<summary>(&what); of != nullptr && of->count > 0) return of->mean;
  return std::numeric_limits<double>::quiet_NaN();
}

std::string json_object(const std::vector<std::pair<std::string, value>>& members) {
  json object = json::object();
  for (const auto& [key, what] : members) {
    if (const auto* whole = std::get_if<std::uint64_t>(&what))
      object[key] = *whole;
    else if (const auto* real = std::get_if<double>(&what))
      object[key] = *real;
    else if (const auto* text = std::get_if<std::string>(&what))
      object[key] = *text;
    else if (const auto* of = std::get_if<summary>(&what); of == nullptr)
      object[key] = nullptr;
    else if (of->count > 0)
      object[key] = to_json(*of);
  }
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace heist::report
