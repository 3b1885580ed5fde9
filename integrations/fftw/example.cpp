// Looks for the loudest tone of a sound: a second of 440 Hz and some hum, transformed by FFTW on a
// pool.
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <vector>

#include <heist/integrations/fftw.hpp>

int main() {
  constexpr int samples = 48'000;
  heist::pool pool;
  heist::integrations::use_in_fftw(pool);
  std::vector<double> sound(samples);
  std::vector<std::complex<double>> tones(samples / 2 + 1);
  const fftw_plan plan = fftw_plan_dft_r2c_1d(
      samples, sound.data(), reinterpret_cast<fftw_complex*>(tones.data()), FFTW_ESTIMATE);
  for (int i = 0; i < samples; ++i) {
    const double t = 2 * std::numbers::pi * i / samples;
    sound[static_cast<std::size_t>(i)] = std::sin(440 * t) + 0.3 * std::sin(50 * t);
  }
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  std::size_t peak = 0;
  for (std::size_t i = 0; i < tones.size(); ++i)
    if (std::abs(tones[i]) > std::abs(tones[peak])) peak = i;
  std::printf("the peak is at %zu Hz\n", peak);
}
