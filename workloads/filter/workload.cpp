#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/filter/filter.hpp"
#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

class filter_instance final : public instance {
 public:
  filter_instance(picture_size size, std::size_t strip, std::size_t passes, std::uint64_t seed)
      : size_(size),
        strip_(strip),
        passes_(passes),
        input_(size.pixels()),
        sums_(size.pixels()),
        before_(size.pixels()),
        now_(size.pixels()) {
    for (std::size_t i = 0; i < input_.size(); ++i)
      input_[i] = static_cast<std::uint8_t>(random_at(seed, i));
  }

  void reset() override {
    now_ = input_;
    std::fill(before_.begin(), before_.end(), std::uint8_t{0});
  }
  void run_serial() override { blur_often(serially{}); }
  void run_with(const execution& how) override {
    run_with_loops(how, [&](auto fork) { blur_often(fork); });
  }

  std::string result() const override {
    return fmt::format("{} x {} pixels, blurred {} times", size_.width, size_.height, passes_);
  }
  std::uint64_t checksum() const override {
    return ordered_hash(std::span<const std::uint8_t>(now_));
  }

  // Computes some pixels of the last pass from all 25 pixels around them.
  std::optional<std::string> mistake() const override {
    constexpr std::size_t every = 7;
    for (std::size_t i = 0; i < now_.size(); i += every) {
      const auto expected = blurred(i / size_.width, i % size_.width);
      if (now_[i] != expected)
        return fmt::format("the pixel in row {}, column {} is {}, not {}", i / size_.width,
                           i % size_.width, now_[i], expected);
    }
    return std::nullopt;
  }

  work_count work() const override {
    return {static_cast<double>(size_.pixels()) * static_cast<double>(passes_), "pixels"};
  }

 private:
  template <class Fork>
  void blur_often(Fork fork) {
    for (std::size_t pass = 0; pass < passes_; ++pass) {
      std::swap(before_, now_);
      blur(size_, before_, sums_, now_, strip_, fork);
    }
  }

  [[nodiscard]] unsigned blurred(std::size_t row, std::size_t column) const {
    const auto inside = [](std::size_t at, std::size_t shift, std::size_t size) {
      return std::min(std::max<std::size_t>(at + shift, 2) - 2, size - 1);
    };
    unsigned sum = 128;
    for (std::size_t y = 0; y < 5; ++y)
      for (std::size_t x = 0; x < 5; ++x)
        sum += binomial_weights[y] * binomial_weights[x] *
               before_[inside(row, y, size_.height) * size_.width + inside(column, x, size_.width)];
    return sum / 256;
  }

  picture_size size_;
  std::size_t strip_;
  std::size_t passes_;
  std::vector<std::uint8_t> input_;
  std::vector<std::uint16_t> sums_;
  std::vector<std::uint8_t> before_, now_;
};

class filter_workload final : public workload {
 public:
  std::string_view name() const override { return "filter"; }
  std::string_view summary() const override {
    return "blurs a picture in strips of rows: equal parts of little arithmetic";
  }
  profile describe() const override {
    return {.shape = "loops in rounds",
            .stresses = "equal parts whose size is chosen; memory bandwidth",
            .source = "separable binomial filter; Szeliski 2022, section 3.2.1",
            .has_only_loops = true};
  }
  std::vector<option_spec> options() const override {
    constexpr std::int64_t most = 1 << 24;
    return {integer_option("width", "pixels in a row", 3000, 1, most),
            integer_option("height", "rows", 2000, 1, most),
            integer_option("strip", "rows of a strip, which is not divided", 8, 1, most),
            integer_option("passes", "how often the picture is blurred", 25, 1, 1'000'000),
            integer_option("seed", "of the generated picture", 1, 0, INT64_MAX)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const picture_size size{values.size("width"), values.size("height")};
    constexpr std::uint64_t bytes_per_pixel = 5;  // three pictures, and two bytes of sums
    require_memory(fmt::format("filter --width {} --height {}", size.width, size.height),
                   saturating_product(size.pixels(), bytes_per_pixel));
    return std::make_unique<filter_instance>(size, values.size("strip"), values.size("passes"),
                                             values.size("seed"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_filter() { return std::make_unique<filter_workload>(); }

}  // namespace heist::workloads
