// What is known of waits, locks and names: the data behind wait_graph.hpp, which guards it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "observe/checks/wait_graph.hpp"
#include "observe/checks/wait_report.hpp"

namespace heist::inline v0::detail {

// An edge, and how it is told: "held by", then the flow at its end.
struct edge {
  wait_record* to;
  const char* because;
};

class known_waits {
 public:
  // A wait that has begun; false: this flow is known to wait. Throws std::bad_alloc.
  bool add(wait_record& r);
  void remove(const wait_record& r) noexcept;

  void make(const void* object, place made);
  void name(const void* object, std::string_view name);
  void acquire(const void* lock, const lock_hold& hold);
  void release(const void* lock, flow who) noexcept;
  void forget_holds(flow who) noexcept;
  void run(flow thread, const void* state);
  [[nodiscard]] const void* run_by(flow thread) const noexcept;

  // The waits of a cycle that contains `last`, from there on; empty: there is none.
  [[nodiscard]] std::vector<edge> find_cycle(wait_record& last) const;
  [[nodiscard]] std::string name_of(const void* object) const;
  [[nodiscard]] std::string describe(const wait_record& r) const;
  [[nodiscard]] std::string describe_all() const;
  [[nodiscard]] wait_counts count() const noexcept;

  known_waits* previous = nullptr;  // the parent process's, so that leak checkers find it

 private:
  [[nodiscard]] const object_record* known(const void* object) const noexcept;
  [[nodiscard]] wait_record* waiting(flow who) const noexcept;
  [[nodiscard]] static bool waits_behind(const wait_record& r, const object_record& lock,
                                         const lock_hold& hold) noexcept;
  template <class Visit>
  void each_edge(const wait_record& r, Visit&& visit) const;

  using records = std::unordered_multimap<const void*, wait_record*>;
  static void erase(records& from, const void* key, const wait_record& r) noexcept;

  std::unordered_map<const void*, object_record> objects_;
  std::unordered_map<flow, std::vector<const void*>> held_;
  std::unordered_map<flow, wait_record*> waiting_;
  records runners_;   // waiting flows by the state that they settle in the end
  records children_;  // likewise, by their scope
  std::unordered_map<flow, const void*> threads_run_;
  std::uint64_t changes_ = 0;
};

}  // namespace heist::inline v0::detail
