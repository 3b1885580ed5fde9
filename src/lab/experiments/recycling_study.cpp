#include "lab/experiments/recycling_study.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include <fmt/format.h>

#include "report/markup.hpp"
#include "report/page.hpp"

namespace heist::lab {

namespace {

constexpr std::size_t most_chart_bins = 500;
constexpr std::uint64_t games_between_steps = 16;

double share(double value, std::uint64_t tosses) { return value / static_cast<double>(tosses); }

// The density of D/M over the games, as heights of a curve over equal intervals.
std::vector<report::point> density(const recycling_row& row, std::uint64_t tosses, double width) {
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

std::string rule_text(const adversary_rule& rule) {
  std::string text;
  for (const auto part : rule.eighths) text += fmt::format("{}{}", text.empty() ? "" : " ", part);
  return text;
}

}  // namespace

std::uint64_t recycling_row::above_bound(const recycling_setup& setup, double eps) const {
  const double bound = delay_bound(setup.processors, setup.tosses, eps);
  return static_cast<std::uint64_t>(delays.end() -
                                    std::upper_bound(delays.begin(), delays.end(), bound));
}

recycling_row study_adversary(const recycling_setup& setup, adversary who,
                              const std::function<void(std::uint64_t)>& step) {
  recycling_row row;
  row.who = who;
  // The rule is searched with other random numbers than it is measured with, or it would fit those
  // by chance.
  if (who == adversary::searched) row.rule = search_adversary(setup.processors, ~setup.seed);
  row.delays.reserve(setup.games);
  double steps = 0;
  for (std::uint64_t game = 0; game < setup.games; ++game) {
    const auto result =
        play_recycling_game(setup.processors, setup.tosses, who, row.rule, rng(setup.seed, game));
    row.delays.push_back(static_cast<double>(result.delay));
    steps += static_cast<double>(result.steps);
    row.longest_queue = std::max(row.longest_queue, result.longest_queue);
    if (step && (game + 1) % games_between_steps == 0) step(game + 1);
  }
  std::sort(row.delays.begin(), row.delays.end());
  row.of_delays = report::summarize(row.delays);
  row.of_mean = report::mean_interval(row.of_delays);
  row.mean_steps = steps / static_cast<double>(setup.games);
  return row;
}

std::vector<std::string> recycling_columns() {
  std::vector<std::string> columns = {"adversary", "E[D]", "+-95%", "E[D]/M", "median D"};
  for (const double eps : tail_probabilities) {
    columns.push_back(fmt::format("D at {:g}", 1 - eps));
    columns.push_back(fmt::format("c at {:g}", 1 - eps));
  }
  columns.insert(columns.end(), {"max D", "steps", "longest queue"});
  return columns;
}

std::vector<std::string> recycling_cells(const recycling_setup& setup, const recycling_row& row) {
  const auto whole = [](double value) { return fmt::format("{:.0f}", value); };
  const double half = (row.of_mean.high - row.of_mean.low) / 2;
  std::vector<std::string> cells = {std::string(to_string(row.who)), whole(row.of_delays.mean),
                                    std::isfinite(half) ? fmt::format("{:.1f}", half) : "-",
                                    fmt::format("{:.4f}", share(row.of_delays.mean, setup.tosses)),
                                    whole(report::quantile(row.delays, 0.5))};
  for (const double eps : tail_probabilities) {
    const double tail = report::quantile(row.delays, 1 - eps);
    cells.push_back(whole(tail));
    cells.push_back(fmt::format("{:.4f}", tail / delay_scale(setup.processors, setup.tosses, eps)));
  }
  cells.insert(cells.end(), {whole(row.of_delays.greatest), whole(row.mean_steps),
                             fmt::format("{}", row.longest_queue)});
  return cells;
}

std::string recycling_json(const recycling_setup& setup, const recycling_row& row) {
  std::string text = fmt::format(
      "{{\"adversary\": {}, \"P\": {}, \"M\": {}, \"games\": {}, \"seed\": {}, \"mean\": {}, "
      "\"mean_low\": {}, \"mean_high\": {}, \"mean_over_m\": {}, \"deviation\": {}, \"least\": {}, "
      "\"median\": {}, \"greatest\": {}, \"steps\": {}, \"longest_queue\": {}, \"tails\": [",
      report::json_text(to_string(row.who)), setup.processors, setup.tosses, setup.games,
      setup.seed, report::json_number(row.of_delays.mean), report::json_number(row.of_mean.low),
      report::json_number(row.of_mean.high),
      report::json_number(share(row.of_delays.mean, setup.tosses)),
      report::json_number(row.of_delays.deviation()), report::json_number(row.of_delays.least),
      report::json_number(report::quantile(row.delays, 0.5)),
      report::json_number(row.of_delays.greatest), report::json_number(row.mean_steps),
      row.longest_queue);
  bool first = true;
  for (const double eps : tail_probabilities) {
    const double tail = report::quantile(row.delays, 1 - eps);
    text += fmt::format(
        "{}{{\"eps\": {}, \"delay\": {}, \"bound\": {}, \"above_bound\": {}, \"constant\": {}}}",
        first ? "" : ", ", eps, report::json_number(tail),
        report::json_number(delay_bound(setup.processors, setup.tosses, eps)),
        row.above_bound(setup, eps),
        report::json_number(tail / delay_scale(setup.processors, setup.tosses, eps)));
    first = false;
  }
  text += "]";
  if (row.who == adversary::searched)
    text += ", \"rule\": " + report::json_text(rule_text(row.rule));
  return text + "}";
}

std::string describe(const adversary_rule& rule) {
  return fmt::format("searched: tosses {} eighths of the reservoir, from no ball in bins to all",
                     rule_text(rule));
}

report::chart delay_chart(const recycling_setup& setup, const std::vector<recycling_row>& rows) {
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

std::string recycling_page(const recycling_setup& setup, const std::vector<recycling_row>& rows,
                           const std::string& command) {
  report::page result("The recycling game: what queueing at victims costs", command);
  result.paragraph(
      "P balls are tossed into P bins, as many at a time as an adversary likes, M times in all; in "
      "each "
      "step one ball of each bin comes back. The delay D is how many balls wait in bins, summed "
      "over "
      "the steps: the WAIT dollars of work stealing, with steal requests for balls and victims for "
      "bins.");
  result.paragraph(
      "What to see: whatever the adversary does, the mean of D lies below M, left of the dashed "
      "line, "
      "and the games lie close together. Tossing everything at once is worth more than waiting. In "
      "the "
      "table, c is what D's quantile is of M + P lg P + P lg(1/eps).");
  result.add(delay_chart(setup, rows),
             "Each curve is one adversary: how often each delay came up, by D/M.");
  report::table all{"", recycling_columns(), {}};
  std::string data = "[";
  for (const auto& row : rows) {
    all.rows.push_back(recycling_cells(setup, row));
    data += (data.size() > 1 ? ",\n " : "") + recycling_json(setup, row);
  }
  result.add(all);
  for (const auto& row : rows)
    if (row.who == adversary::searched) result.paragraph(describe(row.rule) + ".");
  return result.data(data + "]").html();
}

}  // namespace heist::lab
