// Verdicts about forks, scopes and loops.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "heist/heist.hpp"
#include "tests/race/programs.hpp"

using heist_test::clean;
using heist_test::racy;
using heist_test::use;

namespace {

// ---- Forks.

PROGRAM("fork: two writes", racy) {
  int x = 0;
  use(x);
  heist::fork_join(
      [&] {
        x = 1;  // (1)
        use(x);
      },  //
      [&] {
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("fork: a write and a read", racy) {
  int x = 0, y = 0;
  heist::fork_join([&] { use(x = 1); },   // (1)
                   [&] { use(y = x); });  // (2)
}

PROGRAM("fork: a write and a second read", racy) {
  int x = 0, y = 0;
  heist::fork_join([&] { use(x = 1); },  // (1)
                   [&] {
                     use(y = x);
                     use(y = x);  // (2)
                   });
}

PROGRAM("fork: a read and a write", racy) {
  int x = 0, y = 0;
  use(x);
  use(y);
  heist::fork_join(
      [&] {
        y = x;  // (1)
        use(y);
      },  //
      [&] {
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("fork: two reads", clean) {
  int x = 0, y = 0, z = 0;
  use(x);
  heist::fork_join(
      [&] {
        y = x;
        use(y);
      },
      [&] {
        z = x;
        use(z);
      });
}

PROGRAM("fork: neighbours", clean) {
  std::array<int, 2> x{};
  heist::fork_join(
      [&] {
        x[0] = 1;
        use(x);
      },
      [&] {
        x[1] = 2;
        use(x);
      });
}

PROGRAM("fork: before and after", clean) {
  int x = 0;
  use(x);
  heist::fork_join(
      [&] {
        x = 1;
        use(x);
      },
      [] {});
  x = 2;
  use(x);
}

PROGRAM("fork: one after the other", clean) {
  int x = 0;
  heist::fork_join(
      [&] {
        x = 1;
        use(x);
      },
      [] {});
  heist::fork_join([] {},
                   [&] {
                     x = 2;
                     use(x);
                   });
}

PROGRAM("fork: deep against shallow", racy) {
  int x = 0;
  heist::fork_join(
      [&] {
        heist::fork_join([] {},
                         [&] {
                           heist::fork_join([] {},
                                            [&] {
                                              x = 1;  // (1)
                                              use(x);
                                            });
                         });
      },
      [&] {
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("fork: the third of three", racy) {
  int x = 0;
  use(x);
  heist::fork_join(
      [&] {
        x = 1;  // (1)
        use(x);
      },
      [] {},  //
      [&] {
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("fork: results", clean) {
  auto [a, b] = heist::fork_join([] { return std::string(100, 'a'); }, [] { return 3; });
  use(a);
  use(b);
}

int sum_of(const std::vector<int>& v, std::size_t first, std::size_t last) {
  if (last - first < 8) return std::accumulate(v.begin() + long(first), v.begin() + long(last), 0);
  const std::size_t middle = first + (last - first) / 2;
  const auto [a, b] = heist::fork_join([&] { return sum_of(v, first, middle); },
                                       [&] { return sum_of(v, middle, last); });
  return a + b;
}
PROGRAM("fork: a recursive sum", clean) {
  const std::vector<int> v(1000, 1);
  int total = sum_of(v, 0, v.size());
  use(total);
}

void fill(int* first, int* last, int overlap) {
  if (last - first < 8) {
    for (; first != last; ++first) *first = 1;  // (1) (2)
    return;
  }
  int* const middle = first + (last - first) / 2;
  heist::fork_join([=] { fill(first, middle + overlap, 0); }, [=] { fill(middle, last, overlap); });
}
PROGRAM("fork: halves that meet", clean) {
  std::vector<int> v(1000);
  fill(v.data(), v.data() + v.size(), 0);
}
PROGRAM("fork: halves that overlap by one", racy) {
  std::vector<int> v(1000);
  fill(v.data(), v.data() + v.size(), 1);
}

// ---- Scopes.

PROGRAM("scope: child and continuation", racy) {
  heist::scope([&](heist::task_scope& s) {
    int x = 0;
    use(x);
    s.spawn([&] {
      x = 1;  // (1)
      use(x);
    });
    x = 2;  // (2)
    use(x);
    s.sync();
  });
}

PROGRAM("scope: after sync", clean) {
  heist::scope([&](heist::task_scope& s) {
    int x = 0;
    s.spawn([&] {
      x = 1;
      use(x);
    });
    s.sync();
    x = 2;
    use(x);
  });
}

PROGRAM("scope: two children", racy) {
  int x = 0;
  heist::scope([&](heist::task_scope& s) {
    s.spawn([&] {
      x = 1;  // (1)
      use(x);
    });
    s.spawn([&] {
      x = 2;  // (2)
      use(x);
    });
  });
}

PROGRAM("scope: children apart by sync", clean) {
  int x = 0;
  heist::scope([&](heist::task_scope& s) {
    s.spawn([&] {
      x = 1;
      use(x);
    });
    s.sync();
    s.spawn([&] {
      x = 2;
      use(x);
    });
  });
}

PROGRAM("scope: what a nested scope has joined", clean) {
  heist::scope([&](heist::task_scope&) {
    int x = 0;
    heist::scope([&](heist::task_scope& inner) {
      inner.spawn([&] {
        x = 1;
        use(x);
      });
    });
    x = 2;
    use(x);
  });
}

PROGRAM("scope: a child's child into the outer scope", racy) {
  int x = 0;
  heist::scope([&](heist::task_scope& s) {
    s.spawn([&] {
      s.spawn([&] {
        x = 1;  // (1)
        use(x);
      });
    });
    x = 2;  // (2)
    use(x);
  });
}

PROGRAM("scope: a child of a fork into the outer scope", racy) {
  heist::scope([&](heist::task_scope& s) {
    int x = 0;
    use(x);
    heist::fork_join(
        [&] {
          s.spawn([&] {
            x = 1;  // (1)
            use(x);
          });
        },
        [] {});
    x = 2;  // (2)
    use(x);
    s.sync();
  });
}

PROGRAM("scope: a child's child, after the end", clean) {
  int x = 0;
  heist::scope([&](heist::task_scope& s) {
    s.spawn([&] {
      s.spawn([&] {
        x = 1;
        use(x);
      });
    });
  });
  x = 2;
  use(x);
}

PROGRAM("scope: children of spawn_kind::child", racy) {
  int x = 0;
  heist::scope(heist::spawn_kind::child, [&](heist::task_scope& s) {
    s.spawn([&] {
      x = 1;  // (1)
      use(x);
    });
    s.spawn([&] {
      x = 2;  // (2)
      use(x);
    });
  });
}

PROGRAM("scope: a captured loop variable", racy) {
  heist::scope([&](heist::task_scope& s) {
    int i = 0;
    while (i < 3) {
      s.spawn([&i] {
        int seen = i;  // (1)
        use(seen);
      });
      i = i + 1;  // (2)
      use(i);
    }
    s.sync();
  });
}

PROGRAM("scope: a copied loop variable", clean) {
  std::array<int, 3> to{};
  heist::scope([&](heist::task_scope& s) {
    for (int i = 0; i < 3; ++i) s.spawn([i, &to] { to[std::size_t(i)] = i; });
  });
}

PROGRAM("scope: frames of siblings at one address", clean) {
  heist::scope([&](heist::task_scope& s) {
    for (int i = 0; i < 4; ++i)
      s.spawn([] {
        std::array<int, 100> own;
        own.fill(1);
        use(own);
      });
    std::array<int, 100> mine;
    mine.fill(2);
    use(mine);
  });
}

// ---- Loops.

PROGRAM("loop: one sum", racy) {
  int total = 0;
  heist::parallel_for(0, 10, [&](int i) { total += i; });  // (1) (2)
  use(total);
}

PROGRAM("loop: elements", clean) {
  std::vector<int> v(100);
  heist::parallel_for(0, 100, [&](int i) { v[std::size_t(i)] = i; });
}

PROGRAM("loop: elements of a byte", clean) {
  std::vector<char> v(100);
  heist::parallel_for(0, 100, [&](int i) { v[std::size_t(i)] = char(i); });
}

PROGRAM("loop: a stencil in place", racy) {
  std::vector<int> v(100, 1);
  heist::parallel_for(1, 99, [&](int i) {
    int* const here = &v[std::size_t(i)];
    *here = here[-1] + here[1];  // (1) (2)
  });
}

PROGRAM("loop: a stencil with two arrays", clean) {
  std::vector<int> v(100, 1), w(100);
  for (int step = 0; step < 3; ++step) {
    heist::parallel_for(
        1, 99, [&](int i) { w[std::size_t(i)] = v[std::size_t(i) - 1] + v[std::size_t(i) + 1]; });
    std::swap(v, w);
  }
}

PROGRAM("loop: vector<bool>", racy) {
  std::vector<bool> v(100);
  heist::parallel_for(0, 100, [&](int i) { v[std::size_t(i)] = true; });  // (1) (2)
}

PROGRAM("loop: with a step", racy) {
  std::vector<int> v(10);
  heist::parallel_for(0, 10, heist::step{2}, [&](int i) { v[std::size_t(i) / 4] = i; });  // (1) (2)
}

PROGRAM("loop: blocks", racy) {
  std::array<int, 4> column{};
  heist::parallel_for(heist::block<2>{{0, 0}, {4, 4}},
                      [&](std::size_t, std::size_t x) { column[x] = column[x] + 1; });  // (1) (2)
}

PROGRAM("loop: static blocks", racy) {
  int x = 0;
  heist::parallel_for(
      0, 10,
      [&](int i) {
        x = i;  // (1) (2)
        use(x);
      },
      heist::static_blocks{});
}

PROGRAM("loop: in a loop", racy) {
  std::vector<int> v(100);
  heist::parallel_for(0, 10, [&](int) {
    heist::parallel_for(0, 10, [&](int j) {
      int& element = v[std::size_t(j)];
      element = j;  // (1) (2)
    });
  });
}

PROGRAM("loop: chunks", racy) {
  int x = 0;
  heist::parallel_for_chunks(0, 10, [&](int f, int l) {
    x = l - f;  // (1) (2)
    use(x);
  });
}

}  // namespace
