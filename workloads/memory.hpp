// Refuses a size that does not fit the memory before it is allocated. Linux promises more memory
// than there is, and later kills a process that uses it; these functions throw an error of one line
// instead.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heist::workloads {

// The number of bytes that this process may still allocate: the least of the memory available on
// the machine, the remainders of its cgroup and that group's ancestors, and RLIMIT_AS. A limit that
// cannot be read counts as none. The function reads files, which takes some 50 us. `root` is put
// before /proc and /sys, for tests with made-up trees.
[[nodiscard]] std::uint64_t available_memory_bytes(const std::string& root = {});

// Throws resource_error unless the bytes fit; its line names `what`, the bytes and the memory
// available. A sixteenth of the available memory is left to the rest of the process.
void require_memory(std::string_view what, std::uint64_t bytes);

// a * b, or the largest number if the product overflows, which require_memory refuses.
[[nodiscard]] std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b);

// Formats bytes as in "1.5 GiB".
[[nodiscard]] std::string readable_bytes(std::uint64_t bytes);

}  // namespace heist::workloads
