// Which parts of a serial run are parallel in the program: the bags of Feng and Leiserson,
// "Efficient detection of determinacy races in Cilk programs" (1997), with the bags of futures of
// Utterback, Agrawal, Fineman and Lee, "Efficient race detection with futures" (2019).
//
// A branch is what may run beside others: a function of a fork, a child of a scope, an iteration, a
// task. The run is depth-first and serial: a branch runs where it is begun. Everything that a
// branch did has the branch's number. The numbers are in disjoint sets:
//
//   B1  An open branch is in a set marked serial, with all that has been joined with it.
//   B2  A branch that has ended is in a set marked parallel, that of the join it is waiting for,
//       until that join puts the set into that of the branch that joins.
//
//   B3  A loose branch is joined by an object, maybe after what has begun it: a child in an outer
//       scope, a task, a future. It begins a family, to which its branches belong unless they are
//       loose. Within a family joins are nested, so Feng and Leiserson's lemma holds: of parallel
//       reads the first one is enough. Of each family one has to be kept.
//
// So what was done under a number precedes what is done now exactly if its set is marked serial. Of
// futures that holds as long as each is waited for by one branch, which follows the one that has
// made the future (structured futures).
//
//   B4  A message (messages.cpp) lets what comes behind its receipt follow what was done until a
//       moment of another branch. Numbers are given out in order, and the sender goes on under a
//       new one, as do the branches around it when they go on: so what was done under a lower
//       number was done before. Whether that precedes the moment is found along the joins until
//       then, which are kept by branch.
#pragma once

#include <cstdint>

#include "race/reserved.hpp"

namespace heist::inline v0::race {

using branch_id = std::uint32_t;  // 0: none

// Where a branch was begun.
struct branch_origin {
  branch_id parent = 0;
  std::uint32_t how = 0;    // an index into the detector's beginnings
  std::uint64_t index = 0;  // of an iteration, or 0 and 1 for the two functions of a fork
};

// B4. What a branch had done before it got that number.
struct moment {
  branch_id branch = 0;
  branch_id until = 0;
};

class bags {
 public:
  static constexpr branch_id most = branch_id{1} << 28;

  // False: no memory can be reserved.
  [[nodiscard]] bool reserve() noexcept { return known_.reserve_in_order(most); }

  // An open branch. To be called while count() < most. is_loose: it begins a family.
  branch_id open(const branch_origin& origin, bool is_loose) noexcept {
    const branch_id id = ++count_;
    branch& b = known_[id];
    b.up = root;
    b.family = is_loose ? id : known_[origin.parent].family;
    b.origin = origin;
    return id;
  }
  // One more number for what an open branch does; `of` is its first one.
  branch_id alias(branch_id of) noexcept {
    const branch_id id = ++count_;
    known_[id] = known_[of];
    known_[id].join = {of, is_alias};
    known_[id].up = find(of);
    return id;
  }
  // Of what alias() has returned, what it was given.
  [[nodiscard]] branch_id first_number(branch_id id) const noexcept {
    return known_[id].join.when == is_alias ? known_[id].join.by : id;
  }
  [[nodiscard]] branch_id count() const noexcept { return count_; }
  [[nodiscard]] const branch_origin& origin(branch_id id) const noexcept {
    return known_[id].origin;
  }

  // B3. Which family it belongs to.
  [[nodiscard]] branch_id family(branch_id id) const noexcept { return known_[id].family; }

  // Whether what was done under that number is parallel to what is done now. Amortised nearly
  // constant (union by rank, halved paths).
  [[nodiscard]] bool is_parallel(branch_id id) noexcept {
    return (known_[find(id)].up & parallel) != 0;
  }

  [[nodiscard]] bool are_joined(branch_id a, branch_id b) noexcept { return find(a) == find(b); }

  // B2. `bag`: 0, or what an earlier call has returned for this join.
  [[nodiscard]] branch_id end(branch_id ended, branch_id bag) noexcept {
    const branch_id all = bag == 0 ? find(ended) : unite(ended, bag);
    known_[all].up |= parallel;
    if (bag == 0) return ended;
    known_[ended].join.by = bag;
    return bag;
  }
  void join(branch_id open, branch_id bag) noexcept {
    const branch_id all = unite(open, bag);
    known_[all].up &= ~parallel;
    known_[bag].join = {open, count_};
  }

  // B4. Takes a step for each join, and for each branch around the moment's.
  [[nodiscard]] bool precedes(branch_id id, const moment& m) const noexcept {
    if (id >= m.until) return false;
    for (branch_id at = first_number(id); !is_around(at, m.branch);) {
      join_of_bag join = known_[at].join;
      if (join.when == 0) join = known_[join.by].join;
      if (join.when == 0 || join.when >= m.until) return false;
      at = join.by;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t root = std::uint32_t{1} << 31;
  static constexpr std::uint32_t parallel = std::uint32_t{1} << 30;
  static constexpr std::uint32_t rank = 0xff;  // of a root; of others it is the one above
  static constexpr std::uint32_t is_alias = 0xffffffff;

  // Which branch has joined the bag that has this one's name, and how many numbers there were. The
  // first branch of a bag gives the name; of the others `by` is the name, and `when` is 0. Of an
  // alias `by` is the branch's first number.
  struct join_of_bag {
    branch_id by = 0;
    std::uint32_t when = 0;
  };

  // `outer` is `inner` or one of those that it was begun in.
  [[nodiscard]] bool is_around(branch_id outer, branch_id inner) const noexcept {
    while (inner > outer) inner = known_[inner].origin.parent;
    return inner == outer;
  }

  branch_id find(branch_id id) noexcept {
    std::uint32_t above = known_[id].up;
    while ((above & root) == 0) {
      const std::uint32_t next = known_[above].up;
      if ((next & root) != 0) return above;
      known_[id].up = next;
      id = next;
      above = known_[id].up;
    }
    return id;
  }
  branch_id unite(branch_id a, branch_id b) noexcept {
    a = find(a);
    b = find(b);
    if (a == b) return a;
    const std::uint32_t ranks[] = {known_[a].up & rank, known_[b].up & rank};
    if (ranks[0] < ranks[1]) {
      known_[a].up = b;
      return b;
    }
    known_[b].up = a;
    if (ranks[0] == ranks[1]) ++known_[a].up;
    return a;
  }

  // In one place: what begins and ends touches all of it.
  struct branch {
    std::uint32_t up = 0;
    branch_id family = 0;
    branch_origin origin{};
    join_of_bag join{};
  };

  reserved<branch> known_;
  branch_id count_ = 0;
};

}  // namespace heist::inline v0::race
