// How many instructions a function takes, counted one by one: in a process of its own, whose thread
// the kernel stops after each of them. That needs no counters of the processor, which virtual
// machines often lack, and is exact, but some microseconds for each instruction.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace heist::bench {

// Calls work(count) in a child of this process, which ends after that. There, count(part) calls a
// part and counts its instructions on the calling thread; what other threads do meanwhile is not
// counted. Returns the greater count less the lesser one of the two parts that `work` must count.
// Nothing where the system doesn't let one process trace another, and in a sanitizer's build.
// No thread of the caller's process may be needed by `work`: make pools in it.
[[nodiscard]] std::optional<std::uint64_t> instructions_between(
    const std::function<void(const std::function<void(const std::function<void()>&)>& count)>&
        work);

}  // namespace heist::bench
