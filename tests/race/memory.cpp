// Verdicts about memory and locks: memory that is used again, bytes, atomics, mutexes, reducers.
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "heist/heist.hpp"
#include "tests/race/programs.hpp"

using heist_test::clean;
using heist_test::racy;
using heist_test::use;

namespace {

PROGRAM("heap: memory that is used again", clean) {
  heist::parallel_for(0, 20, [](int i) {
    const auto own = std::make_unique<std::array<int, 64>>();
    own->fill(i);
    use(*own);
  });
}

PROGRAM("heap: vectors that grow", clean) {
  heist::parallel_for(0, 20, [](int i) {
    std::vector<int> own;
    for (int k = 0; k < 100; ++k) own.push_back(i);
    use(own);
  });
}

PROGRAM("heap: freed beside a reader", racy) {
  int* const shared = new int(1);
  use(*shared);
  int seen = 0;
  heist::fork_join(
      [&] {
        seen = *shared;  // (1)
        use(seen);
      },
      [&] { delete shared; });  // (2)
}

PROGRAM("heap: used after it was freed beside", racy) {
  auto* const shared = new std::array<int, 4>{};
  heist::fork_join(
      [&] {
        std::free(std::malloc(8));
        (*shared)[1] = 1;  // (1)
        use(*shared);
      },
      [&] { delete shared; });  // (2)
}

PROGRAM("heap: a shared vector's push_back", racy) {
  std::vector<int> shared;
  shared.reserve(100);
  use(shared);
  heist::parallel_for(0, 10, [&](int i) { shared.emplace_back(i); });  // (1) (2)
}

PROGRAM("bytes: neighbours in one word", clean) {
  struct {
    char a, b, c, d;
  } x{};
  heist::fork_join(
      [&] {
        x.a = 1;
        use(x);
      },
      [&] {
        x.b = 2;
        use(x);
      },
      [&] {
        x.d = 3;
        use(x);
      });
}

PROGRAM("bytes: the word and one of its bytes", racy) {
  alignas(8) std::array<char, 8> x{};
  use(x);
  heist::fork_join([&] { *reinterpret_cast<volatile char*>(&x[3]) = 1; },  // (1)
                   [&] {
                     std::memset(x.data(), 0, 8);  // (2)
                     use(x);
                   });
}

PROGRAM("bytes: a field beside bit fields", racy) {
  struct {
    unsigned a : 4, b : 4;
  } x{};
  use(x);
  heist::fork_join(
      [&] {
        x.a = 1;  // (1)
        use(x);
      },
      [&] {
        x.b = 2;  // (2)
        use(x);
      });
}

PROGRAM("bytes: copies of neighbouring ranges", clean) {
  std::array<char, 64> from{}, to{};
  heist::fork_join(
      [&] {
        std::memcpy(to.data(), from.data(), 31);
        use(to);
      },
      [&] {
        std::memcpy(to.data() + 31, from.data(), 33);
        use(to);
      });
}

PROGRAM("bytes: copies of ranges that overlap by one", racy) {
  std::array<char, 64> from{}, to{};
  heist::fork_join(
      [&] {
        std::memcpy(to.data(), from.data(), 32);  // (1)
        use(to);
      },
      [&] {
        std::memcpy(to.data() + 31, from.data(), 33);  // (2)
        use(to);
      });
}

PROGRAM("bytes: unaligned", racy) {
  struct [[gnu::packed]] {
    char a;
    std::uint64_t b;
    char c;
  } x{};
  use(x);
  char* const bytes = reinterpret_cast<char*>(&x);
  use(*bytes);
  heist::fork_join(
      [&] {
        x.b = 1;  // (1)
        use(x);
      },
      [&] {
        bytes[8] = 2;  // (2)
        use(x);
      });
}

PROGRAM("atomics: a counter", clean) {
  std::atomic<int> n{0};
  heist::parallel_for(0, 10, [&](int) { n.fetch_add(1, std::memory_order_relaxed); });
}

PROGRAM("atomics: beside a plain write", racy) {
  alignas(4) int n = 0;
  use(n);
  heist::fork_join([&] { std::atomic_ref<int>(n).fetch_add(1); },  // (1)
                   [&] {
                     n = 2;  // (2)
                     use(n);
                   });
}

PROGRAM("mutex: held in both", clean) {
  std::mutex m;
  int x = 0;
  heist::parallel_for(0, 10, [&](int i) {
    const std::lock_guard hold(m);
    x += i;
  });
}

PROGRAM("mutex: held in one", racy) {
  std::mutex m;
  int x = 0;
  use(x);
  heist::fork_join(
      [&] {
        const std::lock_guard hold(m);
        x = 1;  // (1)
        use(x);
      },
      [&] {
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("mutex: two different ones", racy) {
  std::mutex m, n;
  int x = 0;
  use(x);
  heist::fork_join(
      [&] {
        const std::lock_guard hold(m);
        x = 1;  // (1)
        use(x);
      },
      [&] {
        const std::lock_guard hold(n);
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("mutex: given back before", racy) {
  std::mutex m;
  int x = 0;
  use(x);
  heist::fork_join(
      [&] {
        m.lock();
        x = 1;  // (1)
        use(x);
        m.unlock();
      },
      [&] {
        m.lock();
        m.unlock();
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("mutex: one of two in common", clean) {
  std::mutex m, n;
  int x = 0;
  heist::fork_join(
      [&] {
        const std::scoped_lock hold(m, n);
        x = 1;
        use(x);
      },
      [&] {
        const std::lock_guard hold(n);
        x = 2;
        use(x);
      });
}

PROGRAM("mutex: three with two each in common", clean) {
  std::mutex a, b, c;
  int x = 0;
  heist::fork_join(
      [&] {
        const std::scoped_lock hold(a, b);
        x = 1;
        use(x);
      },
      [&] {
        const std::scoped_lock hold(b, c);
        x = 2;
        use(x);
      },
      [&] {
        const std::scoped_lock hold(a, c);
        x = 3;
        use(x);
      });
}

PROGRAM("mutex: the first and the third have none in common", racy) {
  std::mutex a, b;
  int x = 0;
  heist::fork_join(
      [&] {
        const std::lock_guard hold(a);
        x = 1;  // (1)
        use(x);
      },
      [&] {
        const std::scoped_lock hold(a, b);
        x = 2;
        use(x);
      },
      [&] {
        const std::lock_guard hold(b);
        x = 3;  // (2)
        use(x);
      });
}

PROGRAM("heist::mutex: held in both", clean) {
  heist::mutex m;
  int x = 0;
  heist::parallel_for(0, 10, [&](int i) {
    const std::lock_guard hold(m);
    x += i;
  });
}

PROGRAM("heist::mutex: held in one", racy) {
  heist::mutex m;
  int x = 0;
  use(x);
  heist::fork_join(
      [&] {
        const std::lock_guard hold(m);
        x = 1;  // (1)
        use(x);
      },
      [&] {
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("shared_mutex: readers and a writer", clean) {
  heist::shared_mutex m;
  std::shared_mutex n;
  int x = 0, y = 0;
  heist::parallel_for(0, 10, [&](int i) {
    if (i == 5) {
      const std::scoped_lock hold(m, n);
      x = i;
      y = i;
    } else {
      const std::shared_lock hold(m);
      const std::shared_lock too(n);
      int seen = x + y;
      use(seen);
    }
  });
}

PROGRAM("shared_mutex: a write by readers", racy) {
  heist::shared_mutex m;
  int x = 0;
  heist::parallel_for(0, 10, [&](int i) {
    const std::shared_lock hold(m);
    x = i;  // (1) (2)
  });
}

PROGRAM("shared_ptr: the last one frees", clean) {
  auto shared = std::make_shared<std::array<int, 4>>();
  heist::scope([&](heist::task_scope& s) {
    for (int i = 0; i < 4; ++i)
      s.spawn([own = shared] {
        int seen = (*own)[0];
        use(seen);
      });
    shared.reset();
  });
}

PROGRAM("shared_ptr: what it points to", racy) {
  const auto shared = std::make_shared<int>(0);
  heist::fork_join(
      [own = shared] {
        *own = 1;  // (1)
        use(*own);
      },
      [own = shared] {
        *own = 2;  // (2)
        use(*own);
      });
}

int table_entry(int i) {
  static const std::array<int, 4> table = [] {
    std::array<int, 4> made{};
    for (int k = 0; k < 4; ++k) made[std::size_t(k)] = k;
    use(made);
    return made;
  }();
  return table[std::size_t(i) % 4];
}
PROGRAM("statics: made by the first that comes", clean) {
  heist::parallel_for(0, 10, [](int i) {
    int seen = table_entry(i);
    use(seen);
  });
}

PROGRAM("statics: changed by all", racy) {
  heist::parallel_for(0, 10, [](int i) {
    static int last = 0;
    last = i;  // (1) (2)
    use(last);
  });
}

PROGRAM("iterators: invalidated beside a reader", racy) {
  std::vector<int> v(1, 1);
  v.shrink_to_fit();
  int seen = 0;
  heist::fork_join(
      [&] {
        seen = *v.begin();  // (1)
        use(seen);
      },
      [&] { v.push_back(2); });  // (2)
}

PROGRAM("reducer: a sum", clean) {
  heist::reducer<int> sum;
  heist::parallel_for(0, 100, [&](int i) { *sum += i; });
  int total = sum.get();
  use(total);
}

PROGRAM("reducer: read before the join", racy) {
  heist::scope([&](heist::task_scope& s) {
    heist::reducer<int> sum;
    s.spawn([&] { *sum += 1; });  // (1)
    int early = sum.get();        // (2)
    use(early);
    s.sync();
  });
}

PROGRAM("combinable: a sum", clean) {
  heist::combinable<int> sum;
  heist::parallel_for(0, 100, [&](int i) { sum.local() += i; });
  int total = sum.combine(std::plus<>());
  use(total);
}

PROGRAM("worker_local: a sum", clean) {
  heist::pool p;
  heist::worker_local<int> sum(p);
  p.run([&] { heist::parallel_for(0, 100, [&](int i) { sum.local() += i; }); });
}

PROGRAM("strings: made in branches", clean) {
  std::vector<std::string> all(20);
  heist::parallel_for(0, 20,
                      [&](int i) { all[std::size_t(i)] = std::string(std::size_t(i) * 3, 'x'); });
}

PROGRAM("exceptions: thrown and caught in branches", clean) {
  heist::parallel_for(0, 5, [](int i) {
    try {
      if (i != 0) throw i;
    } catch (int seen) {
      use(seen);
    }
  });
}

}  // namespace
