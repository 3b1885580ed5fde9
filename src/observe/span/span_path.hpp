// The longest path of a program from its start to some moment: how long it is, with and without
// what forks and steals cost, and in which regions it spent that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heist::inline v0::detail {

using region_number = std::uint32_t;  // in work_measurement::regions

// Ticks by region. The first few lie in the object itself: paths are copied at every fork.
class region_shares {
 public:
  void add(region_number region, std::uint64_t ticks) {
    for (std::uint32_t i = 0; i < few_; ++i)
      if (first_[i].region == region) {
        first_[i].ticks += ticks;
        return;
      }
    if (few_ < first_.size()) {
      first_[few_++] = {region, ticks};
      return;
    }
    for (share& s : more_)
      if (s.region == region) {
        s.ticks += ticks;
        return;
      }
    more_.push_back({region, ticks});
  }
  // Calls f(region, ticks) for each.
  template <class Function>
  void each(Function&& f) const {
    for (std::uint32_t i = 0; i < few_; ++i) f(first_[i].region, first_[i].ticks);
    for (const share& s : more_) f(s.region, s.ticks);
  }

 private:
  struct share {
    region_number region;
    std::uint64_t ticks;
  };
  std::uint32_t few_ = 0;
  std::array<share, 4> first_;
  std::vector<share> more_;
};

struct span_path {
  std::uint64_t span = 0;      // ticks
  std::uint64_t burdened = 0;  // likewise, with the costs of forks and steals
  region_shares regions;       // of span

  void advance(region_number region, std::uint64_t ticks) {
    if (ticks == 0) return;
    span += ticks;
    burdened += ticks;
    regions.add(region, ticks);
  }
  // What follows both paths. The burdened one may be the longer one alone.
  void follow(const span_path& other) {
    if (other.burdened > burdened) burdened = other.burdened;
    if (other.span <= span) return;
    span = other.span;
    regions = other.regions;
  }
};

}  // namespace heist::inline v0::detail
