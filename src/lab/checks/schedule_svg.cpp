#include "lab/checks/schedule_svg.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "report/markup.hpp"
#include "report/palette.hpp"

namespace heist::lab {

namespace {

constexpr double cell = 44, row = 30, pool_row = 19, left = 52, right = 16, title_room = 38;
constexpr double step_room = 20, between_bands = 18;
constexpr std::size_t steps_in_band = 20;  // then the picture continues in a band below

template <class Colours>
std::string style(std::string_view ground, std::string_view ink, std::string_view grid,
                  const Colours& colours) {
  auto css = fmt::format(
      ".schedule .ground{{fill:{0}}}.schedule .ink{{fill:{1}}}.schedule .idle{{fill:none;"
      "stroke:{2}}}\n",
      ground, ink, grid);
  for (std::size_t i = 0; i < colours.size(); ++i)
    css += fmt::format(".schedule .t{0}{{fill:{1};fill-opacity:.25;stroke:{1}}}\n", i, colours[i]);
  return css;
}

class picture {
 public:
  picture(std::string_view title, const schedule& steps, const explicit_dag& dag)
      : title_(title), steps_(steps), dag_(dag) {
    if (!steps.empty()) processors_ = steps.front().executed.size();
    for (const auto& step : steps) pool_ = std::max(pool_, step.ready.size() + step.stalled.size());
    band_height_ = step_room + row * static_cast<double>(processors_) +
                   pool_row * static_cast<double>(pool_) + between_bands;
  }

  std::string svg() {
    const auto bands = (steps_.size() + steps_in_band - 1) / steps_in_band;
    const auto columns = std::min(steps_.size(), steps_in_band);
    const double width = left + cell * static_cast<double>(columns) + right;
    const double height = title_room + band_height_ * static_cast<double>(bands);
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"schedule\" viewBox=\"0 0 {0:g} {1:g}\" "
        "width=\"{0:g}\" height=\"{1:g}\" role=\"img\" font-family=\"system-ui, sans-serif\" "
        "font-size=\"12\">\n<title>{2}</title>\n<style>\n{3}@media (prefers-color-scheme: dark) "
        "{{\n{4}}}\n</style>\n<rect class=\"ground\" width=\"{0:g}\" height=\"{1:g}\"/>\n",
        width, height, report::escape_markup(title_),
        style("#ffffff", "#1f2328", "#d8dee4", report::light_palette),
        style("#16181d", "#e6e6e6", "#3a3f47", report::dark_palette));
    out_ += fmt::format(
        "<text class=\"ink\" x=\"16\" y=\"24\" font-size=\"15\" font-weight=\"600\">{}</text>\n",
        report::escape_markup(title_));
    for (std::size_t band = 0; band < bands; ++band) draw_names(y_of(band));
    for (std::size_t i = 0; i < steps_.size(); ++i)
      draw_step(i, left + cell * static_cast<double>(i % steps_in_band), y_of(i / steps_in_band));
    return out_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double y_of(std::size_t band) const {
    return title_room + band_height_ * static_cast<double>(band);
  }

  void text(double x, double y, std::string_view anchor, std::string_view content,
            double size = 12) {
    out_ += fmt::format(
        "<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" "
        "font-size=\"{:.1f}\">{}</text>\n",
        x, y, anchor, size, report::escape_markup(content));
  }

  void draw_names(double y) {
    text(left - 8, y + 12, "end", "step");
    y += step_room;
    for (std::size_t p = 0; p < processors_; ++p, y += row)
      text(left - 8, y + row / 2 + 2, "end", fmt::format("p{}", p + 1));
    if (pool_ > 0) text(left - 8, y + pool_row / 2 + 4, "end", "pool");
  }

  void box(std::string_view kind, double x, double y, double height) {
    out_ += fmt::format(
        "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:g}\" height=\"{:g}\" rx=\"4\"/>\n",
        kind, x + 2, y, cell - 4, height);
  }

  void draw_step(std::size_t i, double x, double y) {
    text(x + cell / 2, y + 12, "middle", fmt::to_string(i + 1), 11);
    y += step_room;
    for (const node_id v : steps_[i].executed) {
      if (v == no_id) {
        box("idle", x, y, row - 6);
      } else {
        box(colour(dag_.thread_of(v)), x, y, row - 6);
        name(x, y + (row - 6) / 2, dag_.node_name(v));
      }
      y += row;
    }
    // In the order of their numbers, as in the table.
    for (thread_id id = 0; id < dag_.thread_count(); ++id) {
      const auto is_in = [id](const std::vector<thread_id>& threads) {
        return std::find(threads.begin(), threads.end(), id) != threads.end();
      };
      const bool is_stalled = is_in(steps_[i].stalled);
      if (!is_stalled && !is_in(steps_[i].ready)) continue;
      box(colour(id), x, y, pool_row - 4);
      const auto label = dag_.thread_name(id);
      name(x, y + (pool_row - 4) / 2, is_stalled ? "(" + label + ")" : label);
      y += pool_row;
    }
  }

  // In letters as large as there is room for.
  void name(double x, double middle, std::string_view content) {
    const double size = std::min(
        12.0, (cell - 6) / (0.62 * static_cast<double>(std::max<std::size_t>(content.size(), 1))));
    text(x + cell / 2, middle + size * 0.36, "middle", content, size);
  }

  static std::string colour(thread_id id) {
    return fmt::format("t{}", id % report::light_palette.size());
  }

  std::string_view title_;
  const schedule& steps_;
  const explicit_dag& dag_;
  std::size_t processors_ = 0, pool_ = 0;
  double band_height_ = 0;
  std::string out_;
};

}  // namespace

std::string schedule_to_svg(std::string_view title, const schedule& steps,
                            const explicit_dag& dag) {
  return picture(title, steps, dag).svg();
}

}  // namespace heist::lab
