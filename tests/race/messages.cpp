// Verdicts about what is ordered by channels, semaphores, latches and futures.
#include <memory>
#include <utility>

#include "heist/detached_task.hpp"
#include "heist/heist.hpp"
#include "heist/sync/channel.hpp"
#include "heist/sync/latch.hpp"
#include "heist/sync/semaphore.hpp"
#include "tests/race/programs.hpp"

using heist_test::clean;
using heist_test::racy;
using heist_test::use;

namespace {

// ---- Channels.

PROGRAM("channel: an item is the receiver's", clean) {
  heist::channel<std::unique_ptr<int>> c(2);
  heist::fork_join(
      [&] {
        for (int i = 0; i < 10; ++i) {
          auto p = std::make_unique<int>();
          *p = i;
          if (!c.send(std::move(p))) return;
        }
        c.close();
      },
      [&] {
        int sum = 0;
        while (auto p = c.receive()) sum += (*p.value())++;
        use(sum);
      });
}

PROGRAM("channel: what was done before it was sent", clean) {
  int x = 0;
  heist::channel<int> c(1);
  heist::fork_join(
      [&] {
        x = 1;
        use(x);
        if (!c.send(1)) return;
      },
      [&] {
        if (c.receive()) x = 2;
        use(x);
      });
}

PROGRAM("channel: what is done after it was sent", racy) {
  int x = 0;
  heist::channel<int> c(1);
  heist::fork_join(
      [&] {
        if (!c.send(1)) return;
        x = 1;  // (1)
        use(x);
      },
      [&] {
        if (c.receive()) x = 2;  // (2)
        use(x);
      });
}

PROGRAM("channel: before it is received", racy) {
  int x = 0;
  heist::channel<int> c(1);
  heist::fork_join(
      [&] {
        x = 1;  // (1)
        use(x);
        if (!c.send(1)) return;
      },
      [&] {
        x = 2;  // (2)
        use(x);
        if (c.receive()) use(x);
      });
}

PROGRAM("channel: the first item says nothing of the second", racy) {
  int x = 0;
  heist::channel<int> c(4);
  heist::fork_join(
      [&] {
        if (!c.send(1)) return;
        x = 1;  // (1)
        use(x);
        if (!c.send(2)) return;
      },
      [&] {
        if (c.receive()) x = 2;  // (2)
        use(x);
      });
}

PROGRAM("channel: it is closed", clean) {
  int x = 0;
  heist::channel<int> c(1);
  heist::fork_join(
      [&] {
        x = 1;
        use(x);
        c.close();
      },
      [&] {
        while (c.receive()) continue;
        x = 2;
        use(x);
      });
}

// From one to the next, and what a branch of the first has done that was joined before.
PROGRAM("channel: two in a row", clean) {
  int x = 0, y = 0;
  heist::channel<int> first(1), second(1);
  heist::scope([&](heist::task_scope& s) {
    s.spawn([&] {
      heist::fork_join([&] { x = 1; }, [&] { y = 1; });
      if (!first.send(1)) return;
    });
    s.spawn([&] {
      if (first.receive() && !second.send(2)) return;
    });
    s.spawn([&] {
      if (second.receive()) x = y + 1;
      use(x);
    });
  });
}

PROGRAM("channel: a branch of the sender isn't joined", racy) {
  int x = 0;
  heist::channel<int> c(1);
  heist::fork_join(
      [&] {
        heist::scope([&](heist::task_scope& s) {
          s.spawn([&] { x = 1; });  // (1)
          if (!c.send(1)) return;
        });
      },
      [&] {
        if (c.receive()) x = 2;  // (2)
        use(x);
      });
}

PROGRAM("channel: what the receiver begins, and who joins it", clean) {
  int x = 0, y = 0;
  heist::channel<int> c(1);
  heist::scope([&](heist::task_scope& s) {
    s.spawn([&] {
      x = 1;
      y = 1;
      if (!c.send(1)) return;
    });
    s.spawn([&] {
      heist::fork_join(
          [&] {
            if (!c.receive()) return;
            heist::fork_join([&] { x = 2; }, [] {});
          },
          [] {});
      y = 2;
    });
  });
  use(x);
  use(y);
}

// ---- Latches and semaphores.

PROGRAM("latch: all that have counted down", clean) {
  int x[2]{};
  heist::latch l(2);
  heist::scope([&](heist::task_scope& s) {
    for (int& each : x)
      s.spawn([&] {
        each = 1;
        l.count_down();
      });
    s.spawn([&] {
      l.wait();
      x[0] = x[1] + 1;
    });
  });
  use(x);
}

PROGRAM("latch: after the count", racy) {
  int x = 0;
  heist::latch l(1);
  heist::fork_join(
      [&] {
        l.count_down();
        x = 1;  // (1)
        use(x);
      },
      [&] {
        l.wait();
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("latch: those that have counted don't follow each other", racy) {
  int x = 0;
  heist::latch l(2);
  heist::fork_join(
      [&] {
        x = 1;  // (1)
        use(x);
        l.count_down();
      },
      [&] {
        l.count_down();
        x = 2;  // (2)
        use(x);
      });
}

PROGRAM("semaphore: a permit is handed over", clean) {
  int x = 0;
  heist::counting_semaphore<> ready(0);
  heist::fork_join(
      [&] {
        x = 1;
        use(x);
        ready.release();
      },
      [&] {
        ready.acquire();
        x = 2;
        use(x);
      });
}

PROGRAM("semaphore: one that was there before", racy) {
  int x = 0;
  heist::counting_semaphore<> ready(1);
  heist::fork_join(
      [&] {
        x = 1;  // (1)
        use(x);
      },
      [&] {
        ready.acquire();
        x = 2;  // (2)
        use(x);
      });
}

// ---- Futures.

PROGRAM("futures: several wait for one", clean) {
  int x = 0;
  auto f = heist::submit([&] {
    x = 1;
    use(x);
  });
  heist::parallel_for(0, 4, [&](int) {
    f.wait();
    int seen = x;
    use(seen);
  });
  f.get();
}

PROGRAM("futures: one of them doesn't wait", racy) {
  int x = 0;
  auto f = heist::submit([&] {
    x = 1;  // (1)
    use(x);
  });
  heist::parallel_for(0, 4, [&](int i) {
    if (i != 3) f.wait();
    int seen = x;  // (2)
    use(seen);
  });
  f.get();
}

// ---- Detached tasks.

struct adds : heist::detached_task {
  explicit adds(int& to) : detached_task(&run), sum(to) {}
  static void run(heist::detached_task& t) noexcept {
    int& sum = static_cast<adds&>(t).sum;
    ++sum;  // (1)
    use(sum);
  }
  int& sum;
};

PROGRAM("detached task: before its pool ends", racy) {
  int x = 0;
  adds task(x);
  heist::pool p;
  heist::start_detached(p, task);
  ++x;  // (2)
  use(x);
}

PROGRAM("detached task: after its pool has ended", clean) {
  int x = 0;
  adds task(x);
  {
    heist::pool p;
    heist::start_detached(p, task);
  }
  ++x;
  use(x);
}

PROGRAM("detached task: after a latch", clean) {
  int x = 0;
  heist::latch done(1);
  struct task : heist::detached_task {
    task(int& to, heist::latch& when) : detached_task(&run), x(to), done(when) {}
    static void run(heist::detached_task& t) noexcept {
      auto& self = static_cast<task&>(t);
      ++self.x;
      self.done.count_down();
    }
    int& x;
    heist::latch& done;
  } t(x, done);
  heist::start_detached(t);
  done.wait();
  ++x;
  use(x);
}

}  // namespace
