// A model is a small program on the library's protocols, and the way in which its schedules are
// searched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heist_model {

struct outcome {
  bool sound;
  std::string how;
  std::uint64_t schedules;  // that were run
  std::string history;      // of the one that failed
};

enum class search : std::uint8_t {
  exhaustive,  // all schedules, and all stores that a load may see
  bounded,     // all schedules with at most that many preemptions
  random,
};

struct plan {
  search how;
  unsigned switches = 0;        // if bounded
  std::uint64_t schedules = 0;  // if random
};

struct model {
  std::string family;
  std::string name;
  unsigned threads;
  std::size_t capacity;  // of the deque
  plan usual;
  std::function<outcome(const plan&)> run;
};

// The models of one protocol, and the headers that implement it: the models must detect changes
// there.
struct family {
  std::string name;
  std::vector<std::string> headers;
  std::vector<model> models;
};

family split_family();
family sleeping_family();
family placing_family();
family rows_family();
family ends_family();
family guests_family();
family turns_family();
family market_family();
family chase_lev_family();
family bounded_ring_family();
family abp_family();
family multi_steal_family();
family steal_half_family();

inline std::vector<family> all_families() {
  std::vector<family> all;
  all.push_back(split_family());
  all.push_back(sleeping_family());
  all.push_back(placing_family());
  all.push_back(rows_family());
  all.push_back(ends_family());
  all.push_back(guests_family());
  all.push_back(turns_family());
  all.push_back(market_family());
  all.push_back(chase_lev_family());
  all.push_back(bounded_ring_family());
  all.push_back(abp_family());
  all.push_back(multi_steal_family());
  all.push_back(steal_half_family());
  return all;
}

inline std::vector<model> all_models() {
  std::vector<model> all;
  for (const family& f : all_families())
    for (const model& m : f.models) all.push_back(m);
  return all;
}

}  // namespace heist_model
