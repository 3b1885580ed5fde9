// Particles repel their neighbours while a dense clump flies through a thin gas. A particle in the
// clump has many neighbours and costs more, and its place in the array changes slowly.
// heist::semi_static suits this case: it measures every tenth round and cuts the array into blocks
// of equal cost for the rounds after it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <heist/heist.hpp>

namespace {

struct particle {
  double x, y, vx, vy;
  [[nodiscard]] bool operator==(const particle&) const = default;
};

std::vector<particle> make_particles() {
  std::mt19937_64 random(1);
  const auto below = [&](double end) { return end * double(random() >> 11) * 0x1p-53; };
  std::vector<particle> all;
  for (int i = 0; i < 2000; ++i) all.push_back({below(64), below(1), 0, 0});
  for (int i = 0; i < 2000; ++i) all.push_back({2 + below(8), below(1), 4, 0});
  return all;
}

// Makes one round; loop(n, body) calls body(i) for every i below n. Returns how many others each
// particle looked at.
template <class Loop>
std::vector<long> step(std::vector<particle>& all, Loop&& loop) {
  std::ranges::sort(all, {}, [](const particle& p) { return std::pair(p.x, p.y); });
  std::vector<particle> after(all.size());
  std::vector<long> looked_at(all.size());
  loop(all.size(), [&](std::size_t i) {
    const particle old = all[i];
    particle p = old;
    // Particles farther away than 1 exert no force.
    const auto first = std::ranges::lower_bound(all, old.x - 1, {}, &particle::x);
    const auto last = std::ranges::upper_bound(all, old.x + 1, {}, &particle::x);
    for (auto other = first; other != last; ++other) {
      const double dx = old.x - other->x;
      const double dy = old.y - other->y;
      const double distance = std::sqrt(dx * dx + dy * dy);
      const double push = 1e-4 * std::max(1 - distance, 0.0) / (distance + 0.01);
      p.vx += push * dx;
      p.vy += push * dy;
    }
    p.x += 0.05 * p.vx;
    p.y += 0.05 * p.vy;
    after[i] = p;
    looked_at[i] = static_cast<long>(last - first);
  });
  all = std::move(after);
  return looked_at;
}

// The work of the block that has the most, relative to the mean.
double busiest(const std::vector<long>& work, const std::vector<std::size_t>& bounds) {
  long most = 0;
  for (std::size_t i = 1; i < bounds.size(); ++i)
    most = std::max(most, std::accumulate(&work[0] + bounds[i - 1], &work[0] + bounds[i], 0L));
  return double(most) * double(bounds.size() - 1) /
         double(std::accumulate(work.begin(), work.end(), 0L));
}

}  // namespace

int main() {
  constexpr int rounds = 60;
  std::vector<particle> all = make_particles();
  std::vector<particle> serial = all;

  heist::semi_static balance(10);
  for (int round = 1; round <= rounds; ++round) {
    const auto work =
        step(all, [&](auto n, auto body) { heist::parallel_for(0, n, body, balance); });
    if (round % 20 != 0) continue;
    auto blocks = balance.bounds();
    std::printf("round %d: the busiest worker has %.2f times the mean work", round,
                busiest(work, blocks));
    for (std::size_t i = 0; i < blocks.size(); ++i)
      blocks[i] = work.size() * i / (blocks.size() - 1);
    std::printf("; were all blocks of one size, %.2f times\n", busiest(work, blocks));
  }

  for (int round = 1; round <= rounds; ++round)
    step(serial, [](auto n, auto body) {
      for (std::size_t i = 0; i < n; ++i) body(i);
    });
  std::printf("everybody is %s\n",
              all == serial ? "where the serial loop has them" : "SOMEWHERE ELSE");
  return all == serial ? 0 : 1;
}
