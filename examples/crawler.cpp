// A crawler: it starts from one page and fetches every page once; each new link becomes a new
// function of the task_graph that is running. The web is made up and held in memory, including its
// dead link.
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <heist/heist.hpp>
#include <heist/sync/mutex.hpp>
#include <heist/task_graph.hpp>

namespace {

struct page {
  std::string text;
  std::vector<std::string> links;
};
using web = std::map<std::string, page>;

web make_web(int pages) {
  web w;
  for (int i = 0; i < pages; ++i) {
    page p;
    std::uint32_t bits = std::uint32_t(i) * 2654435761U;
    for (int k = 0; k < 4; ++k, bits = bits * 1664525 + 1013904223) {
      p.links.push_back("/" + std::to_string(bits % std::uint32_t(pages)));
      p.text.append(bits % 300, 'x').append(" ");
    }
    if (i % 500 == 499) p.links.push_back("/gone/" + std::to_string(i));
    w.emplace("/" + std::to_string(i), std::move(p));
  }
  return w;
}

class crawler {
 public:
  explicit crawler(const web& w) : web_(w) {}

  void crawl(const std::string& start) {
    heist::task_graph graph;
    seen_.insert(start);
    graph.add([&](heist::task_graph::running& run) { visit(start, run); });
    graph.run();
  }
  [[nodiscard]] const std::map<std::string, std::size_t>& sizes() const { return sizes_; }
  [[nodiscard]] std::size_t dead() const { return seen_.size() - sizes_.size(); }

 private:
  void visit(const std::string& address, heist::task_graph::running& run) {
    const auto found = web_.find(address);
    if (found == web_.end()) return;
    std::vector<std::string> new_links;
    {
      const std::lock_guard hold(mutex_);  // a function that waits lets its worker do other work
      sizes_[address] = found->second.text.size();
      for (const std::string& link : found->second.links)
        if (seen_.insert(link).second) new_links.push_back(link);
    }
    for (std::string& link : new_links)
      run.add([this, link = std::move(link)](heist::task_graph::running& r) { visit(link, r); });
  }

  const web& web_;
  heist::mutex mutex_;
  std::set<std::string> seen_;                // guarded by mutex_, as is the next
  std::map<std::string, std::size_t> sizes_;  // of the existing pages
};

// The pages that a serial program finds: address and size.
std::map<std::string, std::size_t> walk(const web& w, const std::string& start) {
  std::map<std::string, std::size_t> sizes;
  std::vector<std::string> waiting{start};
  while (!waiting.empty()) {
    const auto found = w.find(waiting.back());
    waiting.pop_back();
    if (found == w.end() || !sizes.emplace(found->first, found->second.text.size()).second)
      continue;
    waiting.insert(waiting.end(), found->second.links.begin(), found->second.links.end());
  }
  return sizes;
}

}  // namespace

int main() {
  const web w = make_web(20'000);
  crawler c(w);
  c.crawl("/0");
  const bool is_same = c.sizes() == walk(w, "/0");
  std::printf("%zu of %zu pages can be reached, %zu links are dead; %s\n", c.sizes().size(),
              w.size(), c.dead(),
              is_same ? "a serial walk finds the same" : "A SERIAL WALK DISAGREES");
  return is_same ? 0 : 1;
}
