#include "heist/presets.hpp"

#include <algorithm>
#include <utility>

namespace heist::inline v0 {

std::string to_string(const pool_config& c) {
  std::string text;
  const auto add = [&text](std::string_view what, std::string_view choice) {
    text += (text.empty() ? "" : ", ") + std::string(what) + ' ' + std::string(choice);
  };
  add("deque", to_string(c.deque));
  if (c.deque == deque_kind::multi_steal) {
    text += " of " + std::to_string(c.steal_batch);
    if (c.rule == steal_rule::k_or_one) text += " or one";
  }
  if (c.deque == deque_kind::shared_queue) add("order", to_string(c.order));
  add("spawn", to_string(c.spawn));
  add("join", to_string(c.join));
  add("victim", to_string(c.victim));
  add("idle", to_string(c.idle));
  add("yield", to_string(c.yield));
  if (c.placement != placement_kind::free) add("placement", to_string(c.placement));
  return text;
}

bool same_scheduler(const pool_config& a, const pool_config& b) noexcept {
  if (a.deque == deque_kind::multi_steal && (a.steal_batch != b.steal_batch || a.rule != b.rule))
    return false;
  if (a.deque == deque_kind::shared_queue && a.order != b.order) return false;
  return a.deque == b.deque && a.join == b.join && a.spawn == b.spawn && a.victim == b.victim &&
         a.idle == b.idle && a.yield == b.yield && a.placement == b.placement && a.node == b.node;
}

namespace presets {

namespace {

constexpr std::string_view no_forks = "only loops: no fork_join, no scope, no task graph";

preset plan(std::string_view name, plan_kind kind, std::string_view parts,
            std::string_view source) {
  return {.name = name,
          .config = {},
          .construct = construct_kind::plan,
          .plan = kind,
          .parts = parts,
          .limits = no_forks,
          .source = source};
}

preset jobs(std::string_view name, pool_config config, job_memory memory, std::string_view parts) {
  return {.name = name,
          .config = std::move(config),
          .construct = construct_kind::jobs,
          .memory = memory,
          .parts = parts,
          .limits =
              memory == job_memory::ring ? "a full ring of jobs turns further jobs into calls" : "",
          .source = "Reinalter, Job System 2.0, part 3"};
}

std::vector<preset> make_all() {
  return {
      {.name = "heist",
       .config = heist(),
       .parts = "split deques, whose private forks need no atomic operation; continuations stolen; "
                "greedy joins",
       .limits = "",
       .source = "docs/architecture.md"},
      {.name = "cilk",
       .config = cilk(),
       .parts = "deques that grow; continuations stolen; greedy joins",
       .limits = "",
       .source = "Blumofe, Leiserson 1999"},
      jobs("job_system", job_system(), job_memory::ring,
           "rings of fixed size; jobs from the thread's memory; a wait runs the jobs that it waits "
           "for"),
      jobs("job_system_locked", job_system_locked(), job_memory::ring,
           "as job_system, with a lock around each deque"),
      jobs("job_system_malloc", job_system_locked(), job_memory::heap,
           "as job_system_locked, with each job from malloc"),
      {.name = "multi_steal",
       .config = multi_steal(),
       .construct = construct_kind::tasks,
       .parts =
           "task objects that count their children; a steal takes up to k tasks (--steal-batch)",
       .limits = "",
       .source = "a work-stealing scheduler with multi-task steals"},
      {.name = "abp",
       .config = abp(),
       .parts = "an array with a tagged top; a yield after each failed attempt (--yield); workers "
                "never sleep",
       .limits = "yields to a random worker and to all are approximated",
       .source = "Arora, Blumofe, Plaxton 1998"},
      {.name = "abp_locked",
       .config = abp_locked(),
       .parts = "as abp, with a lock around each deque, for which workers spin",
       .limits = "a worker without a processor that holds a lock keeps the others waiting",
       .source = "Arora, Blumofe, Plaxton 1998"},
      {.name = "shared_queue",
       .config = shared_queue(),
       .parts =
           "work sharing: each fork is offered to all workers, in one queue with a lock: fifo, "
           "lifo or by priority (--queue-order)",
       .limits = "continuations aren't stolen",
       .source = "CS149, lecture 5"},
      {.name = "locked_deques",
       .config = locked_deques(),
       .parts = "a deque with a lock for each worker; children stolen",
       .limits = "",
       .source = "CS149, lecture 5"},
      {.name = "futures",
       .config = locked_deques(),
       .construct = construct_kind::futures,
       .parts = "submit() and get(): each fork enters the pool's queue as a future",
       .limits = "no steal: futures wait in one queue",
       .source = "CS149, lecture 5"},
      plan("static", plan_kind::static_blocks, "one block of iterations for each worker",
           "CS149, lecture 5"),
      plan("interleaved", plan_kind::interleaved, "worker i takes the iterations i, i + P, i + 2P",
           "CS149, lecture 5"),
      plan("semi_static", plan_kind::semi_static,
           "blocks of equal cost, as measured in earlier rounds", "CS149, lecture 5"),
      plan("counter", plan_kind::counter, "a shared counter hands out the next iteration",
           "CS149, lecture 5"),
  };
}

}  // namespace

const std::vector<preset>& all() {
  static const std::vector<preset> every = make_all();
  return every;
}

const preset* find(std::string_view name) {
  const auto found =
      std::find_if(all().begin(), all().end(), [&](const preset& p) { return p.name == name; });
  return found == all().end() ? nullptr : &*found;
}

}  // namespace presets

}  // namespace heist::inline v0
