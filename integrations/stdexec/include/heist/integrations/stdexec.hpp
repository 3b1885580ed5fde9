// stdexec_scheduler: a pool for NVIDIA's stdexec, the reference implementation of P2300
// (std::execution), and its algorithms.
//
//     const heist::integrations::stdexec_scheduler on(pool);
//     auto work = stdexec::schedule(on) | stdexec::bulk(stdexec::par, rows, f) | stdexec::then(g);
//     auto [sum] = stdexec::sync_wait(std::move(work)).value();
//
// heist::scheduler has P2300's interface with tags of its own; here are stdexec's, so that
// stdexec's concepts hold. In its domain bulk, bulk_chunked and bulk_unchunked are heist's loops,
// from which other workers steal. Needs stdexec with bulk_chunked (2025).
//
// Sources: P2300R10 (Dominiak and others, 2024); P2079R10, Parallel scheduler (Teodorescu and
// others, 2025).
#pragma once

#include <stdexec/execution.hpp>

#include <concepts>
#include <exception>
#include <type_traits>
#include <utility>

#include "heist/integrations/stdexec_bulk.hpp"
#include "heist/integrations/stdexec_tags.hpp"
#include "heist/pool.hpp"
#include "heist/scheduler.hpp"

namespace heist::inline v0::integrations {

// How bulk and its kin run after a stdexec_scheduler's sender, or where they are started on one.
// Other algorithms are stdexec's.
struct stealing_domain : stdexec::default_domain {
  // The two forms are those before and after P3826, which put the tag in front.
  template <stdexec_detail::bulk_expression Sender, class... Env>
  requires stdexec_detail::runs_on_a_pool<Sender, Env...>
  auto transform_sender(Sender&& s, const Env&... env) const {
    return stdexec_detail::as_pool_loop(std::forward<Sender>(s), env...);
  }
  template <stdexec_detail::bulk_expression Sender, class Env>
  requires stdexec_detail::runs_on_a_pool<Sender, Env>
  auto transform_sender(stdexec::set_value_t, Sender&& s, const Env& env) const {
    return stdexec_detail::as_pool_loop(std::forward<Sender>(s), env);
  }
};

// A handle as small as a pointer, which can be copied and compared. The pool must outlive its
// senders and operations.
class stdexec_scheduler : public stdexec_detail::scheduler_tag {
 public:
  class sender;

  explicit stdexec_scheduler(pool& p) noexcept : scheduler_(p) {}
  explicit stdexec_scheduler(const heist::scheduler& s) noexcept : scheduler_(s) {}

  [[nodiscard]] sender schedule() const noexcept;

  // A worker that waits with heist suspends its fiber, and one that blocks its thread holds up no
  // more than itself; but a function may wait for a worker to begin.
  [[nodiscard]] constexpr auto query(stdexec::get_forward_progress_guarantee_t) const noexcept {
    return stdexec::forward_progress_guarantee::parallel;
  }
  [[nodiscard]] constexpr stealing_domain query(stdexec::get_domain_t) const noexcept { return {}; }

  // The pool in which it schedules.
  [[nodiscard]] pool& where() const noexcept { return scheduler_.where(); }

  friend bool operator==(const stdexec_scheduler&, const stdexec_scheduler&) noexcept = default;

 private:
  heist::scheduler scheduler_;
};

// The scheduler of the default pool: P2079's get_parallel_scheduler, without its replacement at
// link time. Throws what making the default pool throws.
inline stdexec_scheduler get_parallel_scheduler() { return stdexec_scheduler(default_pool()); }

// Completes with set_value() on a worker; with set_stopped(), there too, if the receiver's stop
// token says so by then, and only if the token can. It sends no error: all that could fail is to
// start it in a child of fork() for a pool of the parent, and that ends the program. Starting
// allocates nothing.
class stdexec_scheduler::sender {
 public:
  using sender_concept = stdexec_detail::sender_concept;

  // The environment of the sender: it completes on its scheduler.
  class attributes {
   public:
    template <stdexec_detail::pool_completion Tag>
    [[nodiscard]] stdexec_scheduler query(stdexec::get_completion_scheduler_t<Tag>,
                                          const auto&...) const noexcept {
      return scheduler_;
    }

   private:
    friend sender;
    explicit attributes(stdexec_scheduler s) noexcept : scheduler_(s) {}
    stdexec_scheduler scheduler_;
  };

  // P3557's form, and the one before it.
  template <class Self, class Env>
  static consteval auto get_completion_signatures() noexcept {
    return stdexec_detail::schedule_signatures<Env>();
  }
  template <class Env>
  constexpr auto get_completion_signatures(const Env&) const noexcept {
    return stdexec_detail::schedule_signatures<Env>();
  }

  template <stdexec::receiver R>
  [[nodiscard]] auto connect(R r) const noexcept {
    return stdexec_detail::operation<R>(scheduler_.scheduler_, std::move(r));
  }
  [[nodiscard]] attributes get_env() const noexcept { return attributes(scheduler_); }

 private:
  friend stdexec_scheduler;
  explicit sender(stdexec_scheduler s) noexcept : scheduler_(s) {}
  stdexec_scheduler scheduler_;
};

inline stdexec_scheduler::sender stdexec_scheduler::schedule() const noexcept {
  return sender(*this);
}

}  // namespace heist::inline v0::integrations
