#include "lab/dag/explicit_threads.hpp"

namespace heist::lab {

static_assert(thread_system<explicit_threads>);

void explicit_threads::begin(thread_id id) {
  alive_[id] = true;
  ++living_;
  space_ += dag_->frame(id);
}

thread_id explicit_threads::start() {
  const auto threads = dag_->thread_count();
  next_.resize(threads);
  for (thread_id id = 0; id < threads; ++id) next_[id] = dag_->first(id);
  alive_.assign(threads, false);
  children_.assign(threads, 0);
  missing_.resize(dag_->node_count());
  for (node_id v = 0; v < dag_->node_count(); ++v) missing_[v] = dag_->in_degree(v);
  living_ = space_ = 0;
  begin(0);
  return 0;
}

outcome explicit_threads::execute(thread_id id) {
  outcome result;
  const node_id v = next_[id]++;
  dag_->each_edge(v, [&](const explicit_dag::edge& edge) {
    const bool ready = --missing_[edge.to] == 0;
    const thread_id target = dag_->thread_of(edge.to);
    if (edge.kind == edge_kind::spawn) {
      begin(target);
      ++children_[id];
      result.spawned = target;
    } else if (edge.kind == edge_kind::proceed) {
      if (!ready) result.thread = outcome::fate::stalled;
    } else if (ready) {
      // All its other predecessors were executed before, the one in its own thread among them: it
      // had stalled.
      (result.enabled[0] == no_id ? result.enabled[0] : result.enabled[1]) = target;
    }
  });
  if (dag_->is_last(v)) {
    result.thread = outcome::fate::died;
    alive_[id] = false;
    --living_;
    space_ -= dag_->frame(id);
    if (dag_->parent(id) != no_id) --children_[dag_->parent(id)];
  }
  return result;
}

}  // namespace heist::lab
