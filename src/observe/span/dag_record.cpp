#include "observe/span/dag_record.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace heist::inline v0::detail {

void dag_thread::work(region_number region, std::uint64_t ticks) {
  if (ticks == 0) return;
  total += ticks;
  if (!steps.empty() && steps.back().ticks != 0 && steps.back().region == region)
    steps.back().ticks += ticks;
  else
    steps.push_back({region, ticks});
}

dag_thread* dag_thread::spawn(std::unique_ptr<dag_thread> child) {
  dag_thread* const c = child.get();
  steps.push_back({.child = std::move(child)});
  return c;
}

void dag_thread::join(dag_thread& child) {
  if (std::exchange(child.is_joined, true)) return;
  total += child.total;
  steps.push_back({.joined = &child});
}

void dag_thread::append(dag_thread& other) {
  const std::uint64_t sum = total + other.total;
  for (dag_step& s : other.steps) {
    if (s.ticks != 0)
      work(s.region, s.ticks);
    else
      steps.push_back(std::move(s));
  }
  total = sum;
  other.steps.clear();
}

namespace {

// Whether all threads that were spawned in these steps have been joined.
bool is_closed(const std::vector<dag_step>& steps, std::size_t from) {
  for (std::size_t i = from; i < steps.size(); ++i)
    if (const dag_thread* const c = steps[i].child.get())
      if (!c->is_joined || !is_closed(c->steps, 0)) return false;
  return true;
}

void add_work(const std::vector<dag_step>& steps, std::size_t from, region_shares& sums) {
  for (std::size_t i = from; i < steps.size(); ++i) {
    if (steps[i].ticks != 0) sums.add(steps[i].region, steps[i].ticks);
    if (steps[i].child != nullptr) add_work(steps[i].child->steps, 0, sums);
  }
}

}  // namespace

void dag_thread::collapse(const mark& since, std::uint64_t least) {
  if (total - since.total >= least || !is_closed(steps, since.steps)) return;
  region_shares sums;
  add_work(steps, since.steps, sums);
  steps.resize(since.steps);
  const std::uint64_t sum = total;
  sums.each([this](region_number r, std::uint64_t ticks) { work(r, ticks); });
  total = sum;
}

namespace {

constexpr std::size_t most_nodes = std::size_t{1} << 20U;

// A thread's instructions, and the edges from them.
class dag_writer {
 public:
  dag_writer(const std::vector<std::string>& regions, double ns_per_tick, double work)
      : regions_(regions), ns_per_tick_(ns_per_tick), work_(work) {}

  std::string operator()(dag_thread& root) {
    find_threads(root);
    for (dag_thread* const t : threads_)
      if (t != &root && !t->is_joined) root.join(*t);
    if (work_ > 0 && root.total != 0) ns_per_tick_ = work_ * 1e9 / static_cast<double>(root.total);
    std::string threads;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (nodes_ > most_nodes) return {};
      threads += (i == 0 ? "\n    " : ",\n    ") + thread_text(*threads_[i], i + 1);
    }
    std::string joins;
    for (const auto& [from, to] : joins_)
      joins += (joins.empty() ? "\n    [" : ",\n    [") + last_of(*from) + ", " + to + "]";
    std::string names;
    for (const std::string& name : regions_) names += (names.empty() ? "" : ", ") + name;
    return "{\n  \"format\": \"heist dag 1\",\n  \"unit\": \"ns\",\n  \"regions\": [" + names +
           "],\n  \"threads\": [" + threads + "\n  ],\n  \"spawns\": [" + spawns_ +
           "\n  ],\n  \"joins\": [" + joins + "\n  ]\n}\n";
  }

 private:
  // A loop: a thread may spawn one that spawns one, and so on for long.
  void find_threads(dag_thread& root) {
    threads_.push_back(&root);
    for (std::size_t i = 0; i < threads_.size() && i < most_nodes; ++i) {
      numbers_[threads_[i]] = i + 1;
      for (const dag_step& s : threads_[i]->steps)
        if (s.child != nullptr) threads_.push_back(s.child.get());
    }
  }

  static std::string quoted(std::size_t thread, std::size_t instruction) {
    return "\"G" + std::to_string(thread) + "." + std::to_string(instruction) + "\"";
  }
  [[nodiscard]] std::string last_of(const dag_thread& t) const {
    return quoted(numbers_.at(&t), lengths_.at(&t));
  }

  std::string thread_text(const dag_thread& t, std::size_t number) {
    weights_.clear();
    in_regions_.clear();
    bool last_spawns = false;
    for (const dag_step& s : t.steps) {
      if (s.ticks != 0) {
        emit(static_cast<std::uint64_t>(std::llround(static_cast<double>(s.ticks) * ns_per_tick_)),
             s.region);
        last_spawns = false;
      } else if (s.child != nullptr) {
        if (weights_.empty() || last_spawns) emit(0, last_region());
        spawns_ += (spawns_.empty() ? "\n    [" : ",\n    [") + quoted(number, weights_.size()) +
                   ", \"G" + std::to_string(numbers_.at(s.child.get())) + "\"]";
        last_spawns = true;
      } else {
        // Neither a thread's first instruction nor the one behind a spawn may wait.
        if (weights_.empty() || last_spawns) emit(0, last_region());
        emit(0, last_region());
        joins_.emplace_back(s.joined, quoted(number, weights_.size()));
        last_spawns = false;
      }
    }
    if (weights_.empty() || last_spawns) emit(0, last_region());
    lengths_[&t] = weights_.size();
    nodes_ += weights_.size();
    return "{\"name\": \"G" + std::to_string(number) + "\", \"weights\": [" + list(weights_) +
           "], \"regions\": [" + list(in_regions_) + "]}";
  }

  void emit(std::uint64_t ns, std::uint64_t region) {
    weights_.push_back(std::max<std::uint64_t>(ns, 1));
    in_regions_.push_back(region);
  }
  [[nodiscard]] std::uint64_t last_region() const {
    return in_regions_.empty() ? 0 : in_regions_.back();
  }
  static std::string list(const std::vector<std::uint64_t>& numbers) {
    std::string out;
    for (const std::uint64_t n : numbers) out += (out.empty() ? "" : ", ") + std::to_string(n);
    return out;
  }

  const std::vector<std::string>& regions_;  // quoted
  double ns_per_tick_;
  const double work_;
  std::vector<dag_thread*> threads_;
  std::unordered_map<const dag_thread*, std::size_t> numbers_, lengths_;
  std::vector<std::uint64_t> weights_, in_regions_;
  std::string spawns_;
  std::vector<std::pair<const dag_thread*, std::string>> joins_;
  std::size_t nodes_ = 0;
};

}  // namespace

std::string dag_text(dag_thread& root, const std::vector<std::string>& regions, double ns_per_tick,
                     double work) {
  return dag_writer(regions, ns_per_tick, work)(root);
}

}  // namespace heist::inline v0::detail
