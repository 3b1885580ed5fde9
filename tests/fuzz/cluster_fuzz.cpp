// Any messages, in any order, from any node, leave a node in a state that it knows: it works, has
// finished, or says in one line whose message made no sense. The input is a row of steps: a message
// that is made of the following bytes, bytes that are taken for a frame, or work on the bag.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "cluster/frame.hpp"
#include "cluster/node.hpp"
#include "fuzz.hpp"
#include "workloads/uts/tree_bag.hpp"

namespace {

using namespace heist::cluster;
using heist::workloads::tree_bag;

class steps {
 public:
  steps(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  [[nodiscard]] bool are_left() const { return !rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }
  bytes some(std::size_t most) {
    const auto taken = rest_.first(std::min(most, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    bytes result(taken.size());
    if (!taken.empty()) std::memcpy(result.data(), taken.data(), taken.size());
    return result;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

// Who looks only at what a node sends: each message must pass through its bytes.
struct checking_port final : port {
  void send(rank to, message what) override {
    require(to < nodes);
    require(from_frame(to_frame(what)) == what);
  }
  [[nodiscard]] std::uint64_t now_ns() const override { return now; }

  static constexpr rank nodes = 7;
  std::uint64_t now = 0;
};

const heist::workloads::tree& tiny() {
  static const heist::workloads::tree tree = [] {
    for (const auto& each : heist::workloads::sample_trees())
      if (each.parameters.name == "tiny") return heist::workloads::tree(each.parameters);
    return heist::workloads::tree(heist::workloads::sample_trees().front().parameters);
  }();
  return tree;
}

message next_message(steps& from) {
  message m{.kind = static_cast<message_kind>(from.byte() %
                                              (static_cast<unsigned>(last_message_kind) + 1)),
            .epoch = from.byte() % 4u,
            .number = from.byte(),
            .sent = from.byte(),
            .received = from.byte()};
  using enum message_kind;
  if (m.kind == loot || m.kind == gift || m.kind == result) {
    if (const auto choice = from.byte(); choice < 128)
      wire_writer(m.payload).put(choice % 2 == 0 ? tree_bag() : tree_bag::whole(tiny()));
    else
      m.payload = from.some(choice - 128u);
  } else if (m.kind == part || m.kind == late || m.kind == stop) {
    m.payload = from.some(from.byte());
  }
  return m;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  steps input(data, size);
  const rank self = input.byte() % checking_port::nodes;
  checking_port port;
  const node_settings settings{.fingerprint = 5, .heartbeat_ns = 10, .silence_ns = 100};
  work_of<tree_bag> bag(self == 0 ? tree_bag::whole(tiny()) : tree_bag(tiny()));
  node tested(settings, self, checking_port::nodes, bag, port);
  tested.start();
  while (input.are_left()) {
    const rank from = input.byte() % (checking_port::nodes + 2);
    switch (const auto step = input.byte(); step % 5) {
      case 0:
        try {
          tested.receive(from, from_frame(input.some(step)));
        } catch (const wire_error& e) {
          require(std::string(e.what()).find('\n') == std::string::npos);
        }
        break;
      case 1:
        if (tested.has_work()) bag.process(step);
        tested.worked();
        break;
      case 2:
        port.now += step;
        tested.tick();
        if (self == 0) tested.begin_snapshot();
        static_cast<void>(tested.take_snapshot());
        break;
      default:
        tested.receive(from, next_message(input));
    }
    if (tested.why_failed()) require(tested.is_finished() && !tested.has_work());
  }
  return 0;
}
