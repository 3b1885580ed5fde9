#include "cli/run/deque_series.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "report/chart.hpp"
#include "report/columns.hpp"
#include "report/page.hpp"
#include "report/published_sizes.hpp"

namespace heist::cli {

namespace {

std::string name_of(const report::published_sizes& row) {
  return fmt::format("article, deque {}", row.deque);
}

double microseconds(const series_report& r, double ticks) {
  return r.series.ticks_per_second > 0 ? ticks / r.series.ticks_per_second * 1e6 : 0;
}

std::string probability(double p) { return fmt::format("{:.7f}", p); }

std::string sentence(const series_report& r) {
  const auto median = static_cast<double>(r.series.median_distance());
  return fmt::format(
      "{} samples of {} deque{} ({}), {:.0f} ticks or {:.3f} us apart in the middle{}. The run "
      "took "
      "{:.4f} s under observation, {:.4f} s without. A step has {:g} ticks, {:.4f} us.",
      r.series.times.size(), r.changes.size(), r.changes.size() == 1 ? "" : "s", r.deque, median,
      microseconds(r, median), r.series.is_cut ? ", until the memory for them was full" : "",
      r.seconds, r.plain_seconds, r.step_ticks, microseconds(r, r.step_ticks));
}

constexpr std::string_view caveat =
    "What is pushed and popped between two samples isn't seen, and pauses of the observer are left "
    "out (the column time says what remains).";

constexpr std::size_t columns_of_time = 800;

// The greatest size in each part of the time.
report::series whole_run(const series_report& r, std::size_t deque) {
  report::series line{fmt::format("deque {}", deque), report::series_style::line, {}};
  const auto& times = r.series.times;
  const auto& sizes = r.series.sizes[deque];
  if (times.empty()) return line;
  const double span = std::max<double>(static_cast<double>(times.back() - times.front()), 1);
  std::size_t column = 0;
  std::uint32_t greatest = 0;
  const auto end_column = [&] {
    const double middle = (static_cast<double>(column) + 0.5) / columns_of_time * span;
    line.points.push_back({microseconds(r, middle) / 1000, static_cast<double>(greatest)});
  };
  bool has_any = false;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto here =
        std::min(static_cast<std::size_t>(static_cast<double>(times[i] - times.front()) / span *
                                          columns_of_time),
                 columns_of_time - 1);
    if (here != column && has_any) {
      end_column();
      greatest = 0;
    }
    column = here;
    has_any = true;
    greatest = std::max(greatest, sizes[i]);
  }
  end_column();
  return line;
}

// The samples themselves, from the middle of the run.
report::series close_up(const series_report& r, std::size_t deque) {
  report::series line{fmt::format("deque {}", deque), report::series_style::line, {}};
  const auto& times = r.series.times;
  const std::size_t shown = std::min<std::size_t>(times.size(), 400);
  const std::size_t first = (times.size() - shown) / 2;
  for (std::size_t i = first; i < first + shown; ++i)
    line.points.push_back({microseconds(r, static_cast<double>(times[i] - times[first])),
                           static_cast<double>(r.series.sizes[deque][i])});
  return line;
}

report::chart sizes_chart(const series_report& r, bool close) {
  report::chart c;
  c.title = close ? fmt::format("{}: {} samples from the middle of the run", r.workload,
                                std::min<std::size_t>(r.series.times.size(), 400))
                  : fmt::format("{}: the deques' sizes, the greatest of each moment", r.workload);
  c.x.label = close ? "time, us" : "time, ms";
  c.x.least = 0;
  c.y.label = "jobs";
  c.y.least = 0;
  for (std::size_t d = 0; d < r.series.sizes.size(); ++d)
    c.all.push_back(close ? close_up(r, d) : whole_run(r, d));
  return c;
}

report::chart probabilities_chart(const series_report& r) {
  report::chart c;
  c.title = fmt::format("{}: probabilities of a change in a step of {:g} ticks", r.workload,
                        r.step_ticks);
  c.x.label = "change of the size";
  c.x.names = {"-2", "-1", "0", "1", "2"};
  c.y.label = "probability";
  c.y.scale = report::axis_scale::log10;
  const auto add = [&c](std::string name, const std::array<double, 5>& p) {
    report::series s{std::move(name), report::series_style::points, {}};
    for (std::size_t i = 0; i < p.size(); ++i) s.points.push_back({static_cast<double>(i), p[i]});
    c.all.push_back(std::move(s));
  };
  for (std::size_t d = 0; d < r.changes.size(); ++d)
    add(fmt::format("deque {}", d), r.changes[d].probability);
  for (const auto& row : report::all_published_sizes)
    if (row.workload == r.workload) add(name_of(row), row.probability);
  return c;
}

std::string page_of(const series_report& r, const std::string& command) {
  report::page page(fmt::format("Deque sizes over time: {}", r.workload), command);
  page.paragraph(sentence(r) + " " + std::string(caveat));
  page.add(sizes_chart(r, false)).add(sizes_chart(r, true)).add(probabilities_chart(r));
  page.add(series_table(r));
  page.paragraph(
      "The article is A work-stealing scheduler with multi-task steals, section 4.1: two workers "
      "on "
      "processors of their own, steps of 100 cycles.");
  return page.data(series_json(r)).html();
}

std::string samples_csv(const series_report& r) {
  std::string text = "ticks,seconds,deque,size\n";
  const auto& s = r.series;
  for (std::size_t i = 0; i < s.times.size(); ++i)
    for (std::size_t d = 0; d < s.sizes.size(); ++d) {
      const std::uint64_t ticks = s.times[i] - s.times.front();
      text += fmt::format("{},{:.9f},{},{}\n", ticks,
                          microseconds(r, static_cast<double>(ticks)) * 1e-6, d, s.sizes[d][i]);
    }
  return text;
}

}  // namespace

series_report observe_run(std::string_view name, workloads::instance& instance,
                          const pool_config& config, workloads::execution how,
                          const series_request& request, double plain_seconds,
                          std::optional<std::string>& mistake) {
  using clock = std::chrono::steady_clock;
  pool observed(config);
  how.on = &observed;
  instance.reset();
  deque_observer observer(observed);
  const auto begin = clock::now();
  observed.run([&] { instance.run_with(how); });
  series_report r;
  r.seconds = std::chrono::duration<double>(clock::now() - begin).count();
  r.series = observer.stop();
  if (auto wrong = instance.mistake()) mistake = "observed: " + *wrong;
  r.workload = name;
  r.workers = observed.workers();
  r.deque = to_string(observed.config().deque);
  r.step_ticks = request.step_ticks;
  r.plain_seconds = plain_seconds;
  r.changes = changes_of(r.series, request.step_ticks);
  return r;
}

report::table series_table(const series_report& r) {
  report::table t;
  t.title = fmt::format("{}: probabilities of a change of the size in a step of {:g} ticks",
                        r.workload, r.step_ticks);
  t.columns = {"", "< -2", "-2", "-1", "0", "1", "2", "> 2", "mean size", "greatest", "time"};
  const auto add = [&t](std::string name, const std::array<double, 5>& p, double less, double more,
                        std::vector<std::string> rest) {
    std::vector<std::string> cells = {std::move(name), probability(less)};
    for (const double each : p) cells.push_back(probability(each));
    cells.push_back(probability(more));
    cells.insert(cells.end(), rest.begin(), rest.end());
    t.rows.push_back(std::move(cells));
  };
  for (std::size_t d = 0; d < r.changes.size(); ++d) {
    const size_changes& c = r.changes[d];
    add(fmt::format("deque {}", d), c.probability, c.less, c.more,
        {fmt::format("{:.2f}", c.mean_size), std::to_string(c.greatest_size),
         fmt::format("{:.0f} %", c.covered * 100)});
  }
  for (const auto& row : report::all_published_sizes) {
    if (row.workload != r.workload) continue;
    std::vector<std::string> cells = {name_of(row), ""};
    for (const double each : row.probability) cells.push_back(probability(each));
    cells.insert(cells.end(), {"", "", "", ""});
    t.rows.push_back(std::move(cells));
  }
  return t;
}

std::string series_json(const series_report& r) {
  using report::members;
  using report::value;
  std::vector<members> rows;
  const auto add_probabilities = [](members& to, const std::array<double, 5>& p) {
    constexpr const char* keys[] = {"-2", "-1", "0", "1", "2"};
    for (std::size_t i = 0; i < p.size(); ++i) to.push_back({keys[i], value(p[i])});
  };
  for (std::size_t d = 0; d < r.changes.size(); ++d) {
    const size_changes& c = r.changes[d];
    members row = {{"deque", value(std::uint64_t{d})}, {"less", value(c.less)}};
    add_probabilities(row, c.probability);
    row.push_back({"more", value(c.more)});
    row.push_back({"steps", value(c.steps)});
    row.push_back({"mean_size", value(c.mean_size)});
    row.push_back({"greatest_size", value(std::uint64_t{c.greatest_size})});
    row.push_back({"covered", value(c.covered)});
    rows.push_back(std::move(row));
  }
  std::vector<members> article;
  for (const auto& each : report::all_published_sizes) {
    if (each.workload != r.workload) continue;
    article.push_back({{"what", value(name_of(each))}});
    add_probabilities(article.back(), each.probability);
  }
  return report::json_object({{"workload", value(r.workload)},
                              {"workers", value(std::uint64_t{r.workers})},
                              {"deque_kind", value(r.deque)},
                              {"step_ticks", value(r.step_ticks)},
                              {"ticks_per_second", value(r.series.ticks_per_second)},
                              {"samples", value(std::uint64_t{r.series.times.size()})},
                              {"is_cut", value(r.series.is_cut)},
                              {"median_distance_ticks", value(r.series.median_distance())},
                              {"seconds", value(r.seconds)},
                              {"plain_seconds", value(r.plain_seconds)},
                              {"deques", value(std::move(rows))},
                              {"article", value(std::move(article))}});
}

void print_series(const series_report& r, output& out) {
  out.print("\n{}", report::to_text(series_table(r)));
  out.print("{}\n{}\n", sentence(r), caveat);
}

void write_series(const series_report& r, const series_request& request,
                  const std::string& command) {
  if (request.file.empty()) return;
  if (request.file.ends_with(".csv"))
    write_file(request.file, samples_csv(r));
  else if (request.file.ends_with(".svg"))
    write_file(request.file, report::to_svg(sizes_chart(r, false)));
  else
    write_file(request.file, page_of(r, command));
}

}  // namespace heist::cli
