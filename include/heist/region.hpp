// Named parts of a program, for those who look at how it runs.
//
//     {
//       heist::region r("parse");
//       heist::parallel_for(lines, parse_line);  // what is forked here belongs to the region too
//     }
//
// The work-and-span profile (heist/work_span.hpp, docs/work_and_span.md) has figures for each.
#pragma once

#include <atomic>

#include "heist/detail/export.hpp"
#include "heist/detail/observers.hpp"
#include "heist/detail/requirements.hpp"

namespace heist::inline v0 {

namespace detail {

[[gnu::cold]] HEIST_API unsigned begin_region(const char* name) noexcept;
[[gnu::cold]] HEIST_API void end_region(unsigned observed_by) noexcept;

}  // namespace detail

// From construction to destruction, on one fiber or thread, within one function. The name is copied
// when it is first observed. A region in one of the same name, however far inside, is that one.
// When nobody looks it costs a load and a branch; otherwise a fraction of a microsecond.
class region {
 public:
  // Enters the region of that name; the destructor leaves it.
  explicit region(const char* name) noexcept {
    if (detail::observers.load(std::memory_order_relaxed) != 0) [[unlikely]]
      observed_by_ = detail::begin_region(name);
  }
  ~region() {
    if (observed_by_ != 0) [[unlikely]]
      detail::end_region(observed_by_);
  }
  region(const region&) = delete;
  region& operator=(const region&) = delete;

 private:
  unsigned observed_by_ = 0;
};

}  // namespace heist::inline v0
