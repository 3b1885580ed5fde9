// The copies of heist in this process. The program may hold one, and so may each object that it
// loads: they share what the loader binds to one of them, and nothing else (ADR 19).
#pragma once

namespace heist::inline v0::platform {

struct heist_copy {
  const char* object;   // the file that holds it; "" for the program
  const char* version;  // HEIST_VERSION_STRING, as it was compiled
  unsigned workers;     // of the default pool that this copy has made; 0: none
  bool is_this;         // the copy that asks
};

// Says how many workers the default pool of this copy has. Thread-safe.
void note_default_pool(unsigned workers) noexcept;

// Calls visit(copy, context) for each copy, the asking one among them. Takes the loader's lock: the
// caller holds none of ours, and visit loads nothing. Where it isn't known how objects are found
// (Windows, macOS) nothing is visited.
void for_each_copy(void (*visit)(const heist_copy& one, void* context), void* context);

}  // namespace heist::inline v0::platform
