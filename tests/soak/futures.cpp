// Futures, and functions on threads beside the workers.
#include "heist/future.hpp"

#include <vector>

#include "heist/blocking.hpp"
#include "heist/heist.hpp"
#include "heist/when_any.hpp"
#include "tests/soak/construct.hpp"

namespace heist_soak {
namespace {

// A future whose destructor waits, so that each function ends before its place does, even if
// another one throws.
template <class T>
class awaited {
 public:
  explicit awaited(heist::future<T> f) : future_(std::move(f)) {}
  awaited(const awaited&) = delete;
  awaited& operator=(const awaited&) = delete;
  ~awaited() {
    if (future_.valid()) future_.wait();
  }
  T get() { return future_.get(); }

 private:
  heist::future<T> future_;
};

std::uint64_t two_submitted(const place& p, unsigned) {
  awaited<std::uint64_t> a(heist::submit([&p] { return p.part(0); }));
  awaited<std::uint64_t> b(p.in.second.submit([&p] { return p.part(1); }));
  return a.get() + b.get();
}

std::uint64_t continued(const place& p, unsigned) {
  awaited<std::uint64_t> sum(heist::submit([&p] { return p.part(0); }).then([&p](std::uint64_t a) {
    return a + p.part(1);
  }));
  return sum.get();
}

// An exception of a child is kept until all children have ended, since they use this frame.
std::uint64_t all_of_them(const place& p, unsigned n) {
  std::vector<heist::future<std::exception_ptr>> all;
  std::vector<std::uint64_t> parts(n);
  for (unsigned i = 0; i < n; ++i)
    all.push_back(heist::submit([&p, &parts, i]() -> std::exception_ptr {
      try {
        parts[i] = p.part(i);
      } catch (...) {
        return std::current_exception();
      }
      return nullptr;
    }));
  for (const std::exception_ptr& thrown : heist::when_all(std::move(all)).get())
    if (thrown != nullptr) std::rethrow_exception(thrown);
  std::uint64_t sum = 0;
  for (const std::uint64_t part : parts) sum += part;
  return sum;
}

std::uint64_t any_of_them(const place& p, unsigned) {
  const std::uint64_t h = p.hash();
  auto first = heist::when_any(heist::submit([h] { return h; }), heist::submit([h] { return h; }));
  if (std::visit([](const auto& value) { return value; }, first.get()) != h)
    fail("when_any has another result", p.node);
  return p.part(0);
}

std::uint64_t blocked(const place& p, unsigned) {
  const std::uint64_t h = p.hash();
  if (heist::blocking([h] { return mixed(h); }) != mixed(h))
    fail("blocking has another result", p.node);
  return p.part(0);
}

constexpr construct table_of_futures[] = {{"submit", 4, trait::plain, 2, 0, &two_submitted},
                               {"then", 3, trait::plain, 2, 0, &continued},
                               {"when_all", 3, trait::plain, 1, 4, &all_of_them},
                               {"when_any", 1, trait::plain, 1, 0, &any_of_them},
                               {"blocking", 1, trait::plain, 1, 0, &blocked}};

}  // namespace

std::span<const construct> futures() { return table_of_futures; }

}  // namespace heist_soak
