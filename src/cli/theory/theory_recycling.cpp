#include "cli/theory/theory_recycling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include <fmt/format.h>

#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "cli/theory/theory.hpp"
#include "report/page.hpp"

namespace heist::cli {

namespace {

using report::value;

constexpr std::size_t most_chart_bins = 500;

double share(double delay, std::uint64_t tosses) { return delay / static_cast<double>(tosses); }

std::string rule_text(const lab::adversary_rule& rule) {
  std::string text;
  for (const auto part : rule.eighths) text += fmt::format("{}{}", text.empty() ? "" : " ", part);
  return text;
}

std::string tail_key(std::string_view what, double eps) {
  return fmt::format("{}_{:g}", what, eps);
}

// Where a share 1 - eps of the games lies below, and what that says of the constant in Lemma 6.
report::members tail_of(const lab::recycling_setup& setup, const lab::recycling_row& row,
                        double eps) {
  return {{"eps", eps},
          {"delay", row.tail(eps)},
          {"bound", lab::delay_bound(setup.processors, setup.tosses, eps)},
          {"above_bound", row.above_bound(setup, eps)},
          {"constant", row.constant(setup, eps)}};
}

// The density of D/M over the games, as heights of a curve over equal intervals.
std::vector<report::point> density(const lab::recycling_row& row, std::uint64_t tosses,
                                   double width) {
  std::map<std::int64_t, double> count;
  for (const double delay : row.delays)
    ++count[static_cast<std::int64_t>(std::floor(share(delay, tosses) / width))];
  std::vector<report::point> points;
  const auto add = [&](std::int64_t place, double games) {
    points.push_back({(static_cast<double>(place) + 0.5) * width,
                      games / static_cast<double>(row.delays.size())});
  };
  // The curve goes down to the axis on both sides of the values that occurred.
  add(count.begin()->first - 1, 0);
  for (auto place = count.begin()->first; place <= count.rbegin()->first; ++place)
    add(place, count[place]);
  add(count.rbegin()->first + 1, 0);
  return points;
}

}  // namespace

report::columns<lab::recycling_row> recycling_columns(const lab::recycling_setup& setup) {
  using row = lab::recycling_row;
  std::vector<report::column<row>> all = {
      {.key = "adversary",
       .heading = "adversary",
       .get = [](const row& r) { return value(std::string(to_string(r.who))); },
       .to = report::side::left},
      {"P", "", [&](const row&) { return value(setup.processors); }},
      {"M", "", [&](const row&) { return value(setup.tosses); }},
      {"games", "", [&](const row&) { return value(setup.games); }},
      {"seed", "", [&](const row&) { return value(setup.seed); }},
      {"mean", "E[D]", [](const row& r) { return value(r.of_delays.mean); }},
      {"mean_low", "", [](const row& r) { return value(r.of_mean.low); }},
      {"mean_high", "", [](const row& r) { return value(r.of_mean.high); }},
      {"half_width",
       "+-95%",
       [](const row& r) { return half_width(r.of_delays); },
       0,
       {.digits = 1}},
      {"mean_over_m",
       "E[D]/M",
       [&](const row& r) { return value(share(r.of_delays.mean, setup.tosses)); },
       0,
       {.digits = 4}},
      {"deviation", "", [](const row& r) { return value(r.of_delays.deviation()); }},
      {"least", "", [](const row& r) { return value(r.of_delays.least); }},
      {"median", "median D", [](const row& r) { return value(r.tail(0.5)); }},
      {"greatest", "max D", [](const row& r) { return value(r.of_delays.greatest); }},
      {"steps", "steps", [](const row& r) { return value(r.mean_steps); }},
      {"longest_queue", "longest queue", [](const row& r) { return value(r.longest_queue); }},
      {"tails", "",
       [&](const row& r) {
         std::vector<report::members> tails;
         for (const double eps : lab::tail_probabilities) tails.push_back(tail_of(setup, r, eps));
         return value(std::move(tails));
       }},
      {"rule", "",
       [](const row& r) {
         if (r.who != lab::adversary::searched) return value(report::left_out());
         return value(rule_text(r.rule));
       }},
  };
  for (const double eps : lab::tail_probabilities) {
    all.push_back({tail_key("delay", eps), fmt::format("D at {:g}", 1 - eps),
                   [eps](const row& r) { return value(r.tail(eps)); }});
    all.push_back({tail_key("constant", eps),
                   fmt::format("c at {:g}", 1 - eps),
                   [&setup, eps](const row& r) { return value(r.constant(setup, eps)); },
                   0,
                   {.digits = 4}});
  }
  return report::columns<row>(std::move(all), theory_style);
}

row_views recycling_views() {
  report::view people = {"adversary", "mean", "half_width", "mean_over_m", "median"};
  for (const double eps : lab::tail_probabilities)
    people.insert(people.end(), {tail_key("delay", eps), tail_key("constant", eps)});
  people.insert(people.end(), {"greatest", "steps", "longest_queue"});
  return {.text = people,
          .csv = people,
          .json = {"adversary", "P", "M", "games", "seed", "mean", "mean_low", "mean_high",
                   "mean_over_m", "deviation", "least", "median", "greatest", "steps",
                   "longest_queue", "tails", "rule"}};
}

std::string describe(const lab::adversary_rule& rule) {
  return fmt::format("searched: tosses {} eighths of the reservoir, from no ball in bins to all",
                     rule_text(rule));
}

report::chart delay_chart(const lab::recycling_setup& setup,
                          const std::vector<lab::recycling_row>& rows) {
  report::chart result;
  result.title = fmt::format("Delay of the ({}, {})-recycling game, {} games", setup.processors,
                             setup.tosses, setup.games);
  result.x = {.label = "D / M"};
  result.y = {.label = "share of the games", .least = 0};
  // Intervals are narrow enough to show the narrowest hump, but no more than a screen has columns.
  double least = 1;
  double greatest = 1;
  double width = 0.1;
  for (const auto& row : rows) {
    least = std::min(least, share(row.of_delays.least, setup.tosses));
    greatest = std::max(greatest, share(row.of_delays.greatest, setup.tosses));
    width = std::min(width, share(row.of_delays.deviation(), setup.tosses) / 2);
  }
  width = std::max(width, (greatest - least) / static_cast<double>(most_chart_bins));
  if (!(width > 0)) width = 0.1;
  double highest = 0;
  for (const auto& row : rows) {
    auto points = density(row, setup.tosses, width);
    for (const auto& p : points) highest = std::max(highest, p.y);
    result.all.push_back(
        {std::string(to_string(row.who)), report::series_style::line, std::move(points)});
  }
  result.all.push_back({"E[D] <= M", report::series_style::bound, {{1, 0}, {1, highest}}});
  return result;
}

std::string recycling_page(const lab::recycling_setup& setup,
                           const std::vector<lab::recycling_row>& rows,
                           const std::string& command) {
  report::page result("The recycling game: what queueing at victims costs", command);
  result.paragraph(
      "P balls are tossed into P bins, as many at a time as an adversary likes, M times in all; "
      "in each step one ball of each bin comes back. The delay D is how many balls wait in bins, "
      "summed over the steps: the WAIT dollars of work stealing, with steal requests for balls "
      "and victims for bins.");
  result.paragraph(
      "What to see: whatever the adversary does, the mean of D lies below M, left of the dashed "
      "line, and the games lie close together. Tossing everything at once is worth more than "
      "waiting. In the table, c is what D's quantile is of M + P lg P + P lg(1/eps).");
  result.add(delay_chart(setup, rows),
             "Each curve is one adversary: how often each delay came up, by D/M.");
  const auto columns = recycling_columns(setup);
  const auto views = recycling_views();
  result.add(columns.page_table(views.text, rows));
  for (const auto& row : rows)
    if (row.who == lab::adversary::searched) result.paragraph(describe(row.rule) + ".");
  return result.data(columns.json_array(views.json, rows, ",\n ")).html();
}

int recycling(const recycling_request& request, output& out, std::FILE* err) {
  const auto& setup = request.setup;
  require_writable({request.svg, request.html});
  progress line(err);
  if (request.form == report::form::text)
    out.print("({}, {})-recycling game, {} games from seed {}\n", setup.processors, setup.tosses,
              setup.games, setup.seed);
  const auto columns = recycling_columns(setup);
  row_output<lab::recycling_row> rows_out(out, request.form, columns, recycling_views());
  rows_out.print_head();
  std::vector<lab::recycling_row> rows;
  std::uint64_t above = 0;
  for (const auto who : request.adversaries) {
    line.show(fmt::format("{}: {}", to_string(who),
                          who == lab::adversary::searched ? "looking for a rule" : "game 1"));
    rows.push_back(lab::study_adversary(setup, who, [&](std::uint64_t games) {
      line.show(fmt::format("{}: game {} of {}", to_string(who), games, setup.games));
    }));
    line.clear();
    rows_out.print(rows.back());
    for (const double eps : lab::tail_probabilities) above += rows.back().above_bound(setup, eps);
  }
  if (request.form == report::form::text) {
    out.print("E[D] <= M = {}; c: D over M + P lg P + P lg(1/eps)\n", setup.tosses);
    for (const double eps : lab::tail_probabilities)
      out.print("with probability {:g}: D <= {:.0f}\n", 1 - eps,
                lab::delay_bound(setup.processors, setup.tosses, eps));
    out.print("games above their bound: {}\n", above);
    for (const auto& row : rows)
      if (row.who == lab::adversary::searched) out.print("{}\n", describe(row.rule));
  }
  if (!request.svg.empty()) write_file(request.svg, to_svg(delay_chart(setup, rows)));
  if (!request.html.empty()) write_file(request.html, recycling_page(setup, rows, request.command));
  return success;
}

}  // namespace heist::cli
