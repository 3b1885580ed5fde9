// The machinery of <heist/job_system.hpp>: how a function object becomes the bytes of a job.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "heist/detail/race.hpp"
#include "heist/job_system.hpp"

namespace heist::inline v0 {

template <class F>
inline void job_system::call(void* data, job self) {
  F& f = *std::launder(static_cast<F*>(data));
  if constexpr (std::is_invocable_v<F&, job>)
    f(self);
  else
    f();
}

template <class F>
inline void job_system::put(job j, const F& f) noexcept {
  std::byte* const data = reinterpret_cast<std::byte*>(j.record_) + data_offset;
  if constexpr (HEIST_RACE) heist_v0_race_fresh(data, sizeof(F));  // that of a job which has ended
  std::memcpy(data, std::addressof(f), sizeof(F));
}

template <class F>
inline auto job_system::create(job parent, const F& f) -> job {
  using detail::refusal;
  constexpr refusal why = !std::is_invocable_v<F&, job> && !std::is_invocable_v<F&>
                              ? refusal::job_function
                          : !std::is_trivially_copyable_v<F> || !std::is_trivially_destructible_v<F>
                              ? refusal::job_bytes
                          : sizeof(F) > data_bytes || alignof(F) > 16 ? refusal::job_size
                                                                      : refusal::none;
  if constexpr (why != refusal::none) {
    detail::say<why>();
    return {};
  } else {
    const job j = try_create(parent, &call<F>);
    if (j.record_ == nullptr) throw_overflow();
    put(j, f);
    return j;
  }
}

// A part of parallel_for, which splits in halves while it is too large.
template <class Body>
struct job_system::halves {
  job_system* system;
  const Body* body;
  std::size_t first;
  std::size_t last;
  std::size_t most;

  void operator()(job self) {
    while (last - first > most) {
      halves right = *this;
      right.first = first + (last - first) / 2;
      const job j = system->try_create(self, &call<halves>);
      if (j == job{}) {
        right(self);
      } else {
        put(j, right);
        system->run(j);
      }
      last = right.first;
    }
    (*body)(first, last);
  }
};

template <class Body>
requires std::invocable<const Body&, std::size_t, std::size_t>
inline void job_system::parallel_for(std::size_t first, std::size_t last, std::size_t most,
                                     const Body& body) {
  if (first >= last) return;
  on_worker([&] {
    const halves<Body> all{this, &body, first, last, most == 0 ? 1 : most};
    const job j = create_job(all);
    run(j);
    wait(j);
  });
}

}  // namespace heist::inline v0
