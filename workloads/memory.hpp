// Refusing what does not fit, before it is allocated. Linux promises more memory than there is and
// later kills a process that believes it; a size that cannot work is a line of text instead.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heist::workloads {

// Bytes that this process may still take: the least of what the machine has available, what its
// cgroup and that group's ancestors leave, and RLIMIT_AS. What cannot be read limits nothing. Reads
// files, some 50 us. `root` is put before /proc and /sys, for tests with made-up trees.
[[nodiscard]] std::uint64_t available_memory_bytes(const std::string& root = {});

// Throws resource_error, in one line that names `what`, the bytes and what is available, unless the
// bytes fit. A sixteenth of what is available is left to the rest of the process.
void require_memory(std::string_view what, std::uint64_t bytes);

// a * b, or the largest number when that is larger: a size for require_memory, which refuses it.
[[nodiscard]] std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b);

// "1.5 GiB"
[[nodiscard]] std::string readable_bytes(std::uint64_t bytes);

}  // namespace heist::workloads
