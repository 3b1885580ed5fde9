// heist sim: a computation on the lab's machines, for one number of processors after the other.
#include "cli/sim.hpp"

#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/sim_costs.hpp"
#include "cli/sim_kernel.hpp"
#include "lab/chart.hpp"
#include "lab/page.hpp"
#include "lab/run_checker.hpp"
#include "lab/schedule_svg.hpp"
#include "lab/simulation.hpp"
#include "lab/table.hpp"

namespace heist::cli {

namespace {

// Chance plays a part only where thieves choose.
bool is_random(const lab::run_settings& settings) {
  using enum lab::scheduler_kind;
  return settings.scheduler == work_stealing || settings.scheduler == child_stealing;
}

class sim_command {
 public:
  sim_command(const sim_request& request, output& out, std::FILE* err)
      : request_(request),
        out_(out),
        err_(err),
        line_(err),
        computation_(lab::make_computation(request.dag)) {}

  int operator()() {
    if (request_.has_kernel) return simulate_under_kernel(request_, *computation_, out_, err_);
    if (!request_.costs.empty()) return simulate_with_costs(request_, *computation_, out_, err_);
    if (shows_schedule()) return show_schedule();
    line_.show(fmt::format("{}: serial run", request_.dag));
    measures_ = computation_->measure();
    line_.clear();
    print_head();
    out_.flush();
    for (const auto processors : request_.processors) {
      rows_.push_back(simulate(processors));
      print(rows_.back());
      out_.flush();
    }
    print_end();
    if (!request_.svg.empty()) write_file(request_.svg, lab::to_svg(curve_chart()));
    if (!request_.html.empty()) write_file(request_.html, make_page());
    return success;
  }

 private:
  // A small DAG on a few processors: the schedule itself is what there is to see.
  [[nodiscard]] bool shows_schedule() const {
    const auto* dag = computation_->dag();
    return request_.has_schedule && request_.form == sim_form::text && dag != nullptr &&
           dag->node_count() <= 200 && request_.processors.size() == 1 &&
           request_.processors.front() <= 8 && request_.seeds == 1 && request_.html.empty();
  }

  int show_schedule() {
    auto settings = request_.settings;
    settings.processors = request_.processors.front();
    const auto& dag = *computation_->dag();
    const auto steps = lab::make_schedule(dag, settings);
    out_.print("{}, {}, P = {}: T1 {}, Tinf {}, S1 {}; T {}\n{}", request_.dag,
               to_string(settings.scheduler), settings.processors, dag.work(), dag.span(),
               dag.stack_depth(), steps.size(), lab::to_text(lab::to_table(steps, dag)));
    out_.print("Threads in the pool are ready, or (stalled).\n");
    if (!request_.svg.empty())
      write_file(request_.svg, lab::schedule_to_svg(
                                   fmt::format("{}, {}, P = {}", request_.dag,
                                               to_string(settings.scheduler), settings.processors),
                                   steps, dag));
    if (!request_.check) return success;
    (void)computation_->run_checked(settings, checked_);
    print_checks();
    return success;
  }

  sim_row simulate(std::uint32_t processors) {
    auto settings = request_.settings;
    settings.processors = processors;
    const std::uint64_t seeds = is_random(settings) ? request_.seeds : 1;
    sim_row row;
    row.processors = processors;
    std::vector<double> steps, steal, steals, stolen, wait, idle, resumed, space, communication;
    for (std::uint64_t i = 0; i < seeds; ++i) {
      line_.show(fmt::format("{}: P = {}, seed {} of {}", request_.dag, processors, i + 1, seeds));
      settings.seed = request_.settings.seed + i;
      row.last = request_.check ? computation_->run_checked(settings, checked_)
                                : computation_->run(settings);
      const auto add = [](std::vector<double>& to, std::uint64_t value) {
        to.push_back(static_cast<double>(value));
      };
      add(steps, row.last.steps);
      add(steal, row.last.steal);
      add(steals, row.last.steals);
      add(stolen, row.last.stolen);
      add(wait, row.last.wait);
      add(idle, row.last.idle);
      add(resumed, row.last.resumed);
      add(space, row.last.peak_space);
      if (is_random(settings))
        add(communication, (row.last.stolen + row.last.remote) * measures_.largest_frame);
      row.peak_space = std::max(row.peak_space, row.last.peak_space);
      row.peak_queue = std::max(row.peak_queue, row.last.peak_queue);
    }
    line_.clear();
    row.steps = lab::summarize(steps);
    row.steal = lab::summarize(steal);
    row.steals = lab::summarize(steals);
    row.stolen = lab::summarize(stolen);
    row.wait = lab::summarize(wait);
    row.idle = lab::summarize(idle);
    row.resumed = lab::summarize(resumed);
    row.space = lab::summarize(space);
    row.communication = lab::summarize(communication);
    return row;
  }

  void print_head() {
    if (request_.form == sim_form::json) return;
    if (request_.form == sim_form::csv) {
      out_.print("{}", lab::to_csv({"", columns(), {}}));
      return;
    }
    out_.print("{}: T1 {}, Tinf {}, parallelism {:.1f}, S1 {}, nd {}, Smax {}, {} threads\n",
               request_.dag, measures_.work, measures_.span, measures_.parallelism(),
               measures_.stack_depth, measures_.most_joins, measures_.largest_frame,
               measures_.threads);
    out_.print("{}, {}\n", to_string(request_.settings.scheduler),
               is_random(request_.settings)
                   ? fmt::format("requests {}, mean of {} seeds", access_text(), request_.seeds)
                   : std::string("no chance in it"));
    out_.print("{:>8}{:>14}{:>9}{:>10}{:>9}{:>13}{:>14}{:>13}{:>11}{:>12}\n", "P", "T", "+-95%",
               "T1/T", "T/bound", "steals", "attempts", "WAIT", "S", "S/(S1 P)");
  }

  // Which model requests followed; nothing where there are none.
  static std::string_view access_name(const lab::run_settings& settings) {
    if (!is_random(settings)) return "";
    return settings.stealing.access == lab::access_model::queue ? "queue" : "reject";
  }

  [[nodiscard]] std::string_view access_text() const {
    return request_.settings.stealing.access == lab::access_model::queue ? "queue" : "are rejected";
  }

  static std::vector<std::string> columns() {
    return {"processors", "seeds",  "steps",         "steps_low_95", "steps_high_95",
            "speedup",    "bound",  "steal_dollars", "wait_dollars", "idle_dollars",
            "steals",     "stolen", "resumed",       "peak_space",   "space_bound",
            "peak_queue", "access", "space",         "communication"};
  }

  [[nodiscard]] std::vector<std::string> cells(const sim_row& row) const {
    const auto interval = lab::mean_interval(row.steps);
    const bool has_interval = row.steps.count > 1;
    const auto text = [](double value) { return fmt::format("{:.10g}", value); };
    return {std::to_string(row.processors),
            std::to_string(row.steps.count),
            text(row.steps.mean),
            has_interval ? text(interval.low) : "",
            has_interval ? text(interval.high) : "",
            text(row.speedup(measures_)),
            text(row.bound(measures_)),
            text(row.steal.mean),
            text(row.wait.mean),
            text(row.idle.mean),
            text(row.steals.mean),
            text(row.stolen.mean),
            text(row.resumed.mean),
            std::to_string(row.peak_space),
            std::to_string(measures_.stack_depth * row.processors),
            std::to_string(row.peak_queue),
            std::string(access_name(request_.settings)),
            text(row.space.mean),
            row.communication.count > 0 ? text(row.communication.mean) : ""};
  }

  void print(const sim_row& row) {
    if (request_.form == sim_form::json) {
      out_.print("{}\n", to_json(request_, measures_, row));
      return;
    }
    if (request_.form == sim_form::csv) {
      const auto with_head = lab::to_csv({"", columns(), {cells(row)}});
      out_.print("{}", with_head.substr(with_head.find('\n') + 1));
      return;
    }
    const auto interval = lab::mean_interval(row.steps);
    const auto half =
        row.steps.count > 1
            ? fmt::format("{:.2f}%", 50 * (interval.high - interval.low) / row.steps.mean)
            : std::string("-");
    const auto space_bound = static_cast<double>(measures_.stack_depth) * row.processors;
    out_.print("{:>8}{:>14.0f}{:>9}{:>10.2f}{:>9.3f}{:>13.0f}{:>14.0f}{:>13.0f}{:>11}{:>12.4f}\n",
               row.processors, row.steps.mean, half, row.speedup(measures_),
               row.steps.mean / row.bound(measures_), row.steals.mean, row.steal.mean,
               row.wait.mean, row.peak_space, static_cast<double>(row.peak_space) / space_bound);
  }

  void print_end() {
    if (request_.form != sim_form::text) return;
    if (rows_.size() >= 3) out_.print("{}\n", fit_text());
    if (request_.check) print_checks();
  }

  [[nodiscard]] std::string fit_text() const {
    std::vector<lab::timed_run> runs;
    for (const auto& row : rows_)
      runs.push_back({static_cast<double>(measures_.work) / row.processors,
                      static_cast<double>(measures_.span), row.steps.mean});
    const auto fit = lab::fit_times(runs);
    return fmt::format("least squares: T = {:.3f} T1/P + {:.3f} Tinf, at most {:.1f}% off", fit.c1,
                       fit.cinf, 100 * fit.worst);
  }

  void print_checks() {
    out_.print("checked: {} runs, {} steps", checked_.runs, checked_.steps);
    if (checked_.augmented_span > 0)
      out_.print(
          "; augmented DAG's longest path {} of at most {}; {} rounds of attempts; delay sequences "
          "of {} instructions at most, groups of {} rounds at most",
          checked_.augmented_span, 2 * computation_->measure().span, checked_.rounds,
          checked_.delay_path, checked_.longest_group);
    out_.print("; no violation\n");
  }

  // What ran, as a title says it.
  [[nodiscard]] std::string subject() const {
    auto text = fmt::format("{}, {}", request_.dag, to_string(request_.settings.scheduler));
    if (!is_random(request_.settings)) return text;
    using enum lab::victim_choice;
    const auto victims = request_.settings.stealing.victims;
    if (victims == nearest) text += ", nearest victims";
    if (victims == lifeline) text += ", lifelines";
    return text;
  }

  [[nodiscard]] lab::chart speedup_chart() const {
    lab::chart result;
    result.title = subject();
    result.x = {"processors", lab::axis_scale::log2};
    result.y = {"speedup T1/T", lab::axis_scale::log2};
    lab::series measured{"simulated", lab::series_style::line};
    lab::series bound{"T1/(T1/P + Tinf)", lab::series_style::bound};
    lab::series perfect{"P", lab::series_style::bound};
    for (const auto& row : rows_) {
      const double p = row.processors;
      const auto work = static_cast<double>(measures_.work);
      lab::point at{p, row.speedup(measures_)};
      if (row.steps.count > 1) {
        const auto interval = lab::mean_interval(row.steps);
        at.low = work / interval.high;
        at.high = work / interval.low;
      }
      measured.points.push_back(at);
      bound.points.push_back({p, work / row.bound(measures_)});
      perfect.points.push_back({p, p});
    }
    result.all = {measured, bound, perfect};
    return result;
  }

  [[nodiscard]] lab::chart curve_chart() const {
    switch (request_.curve) {
      case sim_curve::speedup:
        break;
      case sim_curve::space:
        return space_chart();
      case sim_curve::attempts:
        return attempts_chart("Steal attempts", [](const sim_row& row) { return row.steal.mean; });
      case sim_curve::wait:
        return attempts_chart("WAIT", [](const sim_row& row) { return row.wait.mean; });
    }
    return speedup_chart();
  }

  [[nodiscard]] lab::chart space_chart() const {
    return other_chart(
        "Space", "S1 P", [](const sim_row& row) { return static_cast<double>(row.peak_space); },
        [](const sim_row& row, const lab::measures& of) {
          return static_cast<double>(of.stack_depth) * row.processors;
        });
  }

  [[nodiscard]] lab::chart attempts_chart(std::string_view title,
                                          double (*value)(const sim_row&)) const {
    return other_chart(title, "P Tinf", value, [](const sim_row& row, const lab::measures& of) {
      return static_cast<double>(of.span) * row.processors;
    });
  }

  // A quantity against P, with a bound beside it.
  [[nodiscard]] lab::chart other_chart(std::string_view title, std::string_view bound_name,
                                       double (*value)(const sim_row&),
                                       double (*limit)(const sim_row&,
                                                       const lab::measures&)) const {
    lab::chart result;
    result.title = fmt::format("{}: {}", title, subject());
    result.x = {"processors", lab::axis_scale::log2};
    result.y = {std::string(title), lab::axis_scale::log10};
    lab::series measured{"simulated", lab::series_style::line};
    lab::series bound{std::string(bound_name), lab::series_style::bound};
    for (const auto& row : rows_) {
      measured.points.push_back({static_cast<double>(row.processors), value(row)});
      bound.points.push_back({static_cast<double>(row.processors), limit(row, measures_)});
    }
    result.all = {measured, bound};
    return result;
  }

  [[nodiscard]] std::string make_page() const {
    lab::page page(fmt::format("{} with {}", request_.dag, to_string(request_.settings.scheduler)),
                   request_.command);
    page.paragraph(fmt::format("T1 = {}, Tinf = {}, parallelism {:.1f}, S1 = {}, {} threads.",
                               measures_.work, measures_.span, measures_.parallelism(),
                               measures_.stack_depth, measures_.threads));
    if (rows_.size() >= 3) page.paragraph(fit_text() + ".");
    page.add(speedup_chart(),
             "Speedup: it follows P as long as that is small against the parallelism, and then "
             "levels out there.");
    page.add(space_chart(),
             "Frames of living threads, at most, against the bound of Theorem 5 and Lemma 2.");
    if (is_random(request_.settings))
      page.add(attempts_chart("Steal attempts", [](const sim_row& row) { return row.steal.mean; }),
               "Attempts grow like P Tinf: they cost O(Tinf) of time on each processor.");
    lab::table table{"", columns(), {}};
    std::string data = "[";
    for (const auto& row : rows_) {
      table.rows.push_back(cells(row));
      data += (data.size() > 1 ? ",\n" : "") + to_json(request_, measures_, row);
    }
    page.add(table).data(data + "]");
    return page.html();
  }

  const sim_request& request_;
  output& out_;
  std::FILE* err_;
  progress line_;
  std::unique_ptr<lab::computation> computation_;
  lab::measures measures_;
  lab::check_report checked_;
  std::vector<sim_row> rows_;
};

}  // namespace

int simulate(const sim_request& request, output& out, std::FILE* err) {
  require_writable({request.svg, request.html});
  try {
    return sim_command(request, out, err)();
  } catch (const lab::check_error& violation) {
    out.flush();
    fmt::print(err, "heist: {}: {}\n", request.dag, violation.what());
    return result_differs;
  }
}

}  // namespace heist::cli
