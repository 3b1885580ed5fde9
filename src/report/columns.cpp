#include "report/columns.hpp"

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/markup.hpp"

namespace heist::report {

namespace {

using json = nlohmann::ordered_json;

members members_of(const summary& of, json_style style) {
  members ends = {{"least", of.least}, {"greatest", of.greatest}};
  members all = {{"mean", of.mean}};
  const auto add = [&all](const members& more) { all.insert(all.end(), more.begin(), more.end()); };
  if (style == json_style::compact) add(ends);
  if (of.count > 1) {
    const auto interval = mean_interval(of);
    add({{"low_95", interval.low}, {"high_95", interval.high}});
  }
  if (style == json_style::spaced) add(ends);
  return all;
}

struct json_writer {
  json_style style;

  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(left_out) const { return "null"; }
  std::string operator()(bool what) const { return what ? "true" : "false"; }
  std::string operator()(std::uint64_t what) const { return fmt::to_string(what); }
  std::string operator()(double what) const {
    return style == json_style::compact ? json(what).dump() : json_number(what);
  }
  std::string operator()(const std::string& what) const {
    return style == json_style::compact
               ? json(what).dump(-1, ' ', false, json::error_handler_t::replace)
               : json_text(what);
  }
  std::string operator()(const summary& of) const { return (*this)(members_of(of, style)); }
  std::string operator()(const members& all) const {
    std::string text = "{";
    for (const auto& [key, what] : all) {
      if (is_left_out(what)) continue;
      if (text.size() > 1) text += comma();
      text += (*this)(key) + (style == json_style::compact ? ":" : ": ");
      text += std::visit(*this, what);
    }
    return text + '}';
  }
  std::string operator()(const std::vector<members>& objects) const {
    std::string text = "[";
    for (const auto& each : objects) {
      if (text.size() > 1) text += comma();
      text += (*this)(each);
    }
    return text + ']';
  }

 private:
  [[nodiscard]] std::string_view comma() const { return style == json_style::compact ? "," : ", "; }
  static bool is_left_out(const value& what) {
    const auto* of = std::get_if<summary>(&what);
    return std::holds_alternative<left_out>(what) || (of != nullptr && of->count == 0);
  }
};

std::string number_text(double number, number_format format) {
  switch (format.kind) {
    case number_format::fixed:
      break;
    case number_format::general:
      return fmt::format("{:.{}g}", number, format.digits);
    case number_format::percent:
      return fmt::format("{:.{}f}%", 100 * number, format.digits);
    case number_format::signed_percent:
      return fmt::format("{:+.{}f}%", 100 * number, format.digits);
    case number_format::figure:
      return figure(number);
  }
  return fmt::format("{:.{}f}", number, format.digits);
}

// Calls `number` for what is one, and answers `nothing` for no value and for a summary of none.
template <class Number>
std::string cell_of(const value& what, std::string_view nothing, Number&& number) {
  if (const auto* whole = std::get_if<std::uint64_t>(&what)) return fmt::to_string(*whole);
  if (const auto* text = std::get_if<std::string>(&what)) return *text;
  if (const auto* is = std::get_if<bool>(&what)) return *is ? "yes" : "no";
  if (const auto* real = std::get_if<double>(&what)) return number(*real);
  if (const auto* of = std::get_if<summary>(&what); of != nullptr && of->count > 0)
    return number(of->mean);
  return std::string(nothing);
}

}  // namespace

std::string text_cell(const value& what, number_format format) {
  return cell_of(what, "-", [format](double number) { return number_text(number, format); });
}

std::string csv_cell(const value& what, std::optional<number_format> format) {
  return cell_of(what, "", [format](double number) {
    return number_text(number, format.value_or(number_format{number_format::general, 10}));
  });
}

std::string page_cell(const value& what, number_format format) {
  return cell_of(what, "-", [format](double number) {
    const bool is_percent =
        format.kind == number_format::percent || format.kind == number_format::signed_percent;
    return is_percent ? number_text(number, format) : figure(number);
  });
}

double number_of(const value& what) {
  if (const auto* whole = std::get_if<std::uint64_t>(&what)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&what)) return *real;
  if (const auto* of = std::get_if<summary>(&what); of != nullptr && of->count > 0) return of->mean;
  return std::numeric_limits<double>::quiet_NaN();
}

value half_width(const summary& of) {
  if (of.count < 2) return {};
  const auto mean = mean_interval(of);
  return (mean.high - mean.low) / 2;
}

std::string json_object(const members& all, json_style style) { return json_writer{style}(all); }

}  // namespace heist::report
