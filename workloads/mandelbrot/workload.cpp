#include <array>
#include <cerrno>
#include <cmath>

#include <fmt/format.h>
#include <png.h>

#include "workloads/constructs.hpp"
#include "workloads/files.hpp"
#include "workloads/hashing.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

// Three bytes a pixel, row after row, through libpng's interface without longjmp. Commits the file,
// or throws what `file` throws if it cannot be written completely.
void write_png(output_file& file, std::size_t width, std::size_t height,
               std::span<const std::uint8_t> rgb) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  errno = 0;
  if (png_image_write_to_stdio(&image, file.stream(), 0, rgb.data(), 0, nullptr) == 0)
    file.fail(errno != 0 ? errno : ENOMEM);  // libpng may also lack memory
  file.commit();
}

// The inside is black. Outside, the hue follows the logarithm of the number of iterations, which
// grows fast near the border.
std::array<std::uint8_t, 3> colour(std::uint32_t iterations, std::uint32_t max_iterations) {
  if (iterations == max_iterations) return {0, 0, 0};
  const double phase = 1.2 * std::log1p(iterations);
  const auto wave = [&](double shift) {
    return static_cast<std::uint8_t>(std::lround(127.5 + 127.5 * std::sin(phase + shift)));
  };
  return {wave(4.0), wave(4.8), wave(5.6)};
}

class mandelbrot_instance final : public instance {
 public:
  // If the file cannot be written, this is reported now, before minutes of drawing.
  mandelbrot_instance(std::size_t width, std::size_t height, std::uint32_t max_iterations,
                      const std::string& path)
      : path_(path),
        iterations_(width * height),
        picture_{width, height, max_iterations, iterations_} {
    if (!path_.empty()) require_writable(path_);
  }

  void reset() override { std::fill(iterations_.begin(), iterations_.end(), 0); }
  void run_serial() override { draw_rows(picture_, serially{}); }
  void run_with(const execution& how) override {
    run_with_loops(how, [&](auto fork) { draw_rows(picture_, fork); });
  }

  std::string result() const override {
    return fmt::format("{} x {} pixels{}{}", picture_.width, picture_.height,
                       path_.empty() ? "" : " in ", path_);
  }

  std::uint64_t checksum() const override {
    return ordered_hash(std::span<const std::uint32_t>(iterations_));
  }

  work_count work() const override {
    double sum = 0;
    for (const auto count : iterations_) sum += count;
    return {sum, "iterations"};
  }

  void write_output() override {
    if (path_.empty()) return;
    std::vector<std::uint8_t> rgb;
    rgb.reserve(iterations_.size() * 3);
    for (const auto count : iterations_)
      for (const auto part : colour(count, picture_.max_iterations)) rgb.push_back(part);
    output_file file(path_);
    write_png(file, picture_.width, picture_.height, rgb);
  }

 private:
  std::string path_;
  std::vector<std::uint32_t> iterations_;
  picture picture_;
};

class mandelbrot_workload final : public workload {
 public:
  std::string_view name() const override { return "mandelbrot"; }
  std::string_view summary() const override {
    return "draws the Mandelbrot set by rows of very different cost, as a PNG if asked";
  }

  profile describe() const override {
    return {.shape = "loops",
            .stresses = "rows of very different cost beside each other",
            .source = "document E: static, interleaved, dynamic",
            .has_only_loops = true};
  }
  std::vector<option_spec> options() const override {
    constexpr std::int64_t most = 1'000'000;  // libpng accepts no wider picture
    return {integer_option("width", "pixels in a row", 1200, 1, most),
            integer_option("height", "rows", 800, 1, most),
            integer_option("iterations", "at most, for a pixel", 1000, 1, 1'000'000'000),
            path_option("output", "write the picture to this PNG file")};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto width = values.size("width");
    const auto height = values.size("height");
    constexpr std::uint64_t bytes_per_pixel = 3 * 3;  // iterations, colours, libpng's rows
    require_memory(fmt::format("mandelbrot --width {} --height {}", width, height),
                   width * height * bytes_per_pixel);
    return std::make_unique<mandelbrot_instance>(
        width, height, static_cast<std::uint32_t>(values.integer("iterations")),
        values.text("output"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_mandelbrot() {
  return std::make_unique<mandelbrot_workload>();
}

}  // namespace heist::workloads
