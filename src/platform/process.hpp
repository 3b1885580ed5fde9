// What this process is: forked or not, whether its code may be unloaded, and whether it may follow
// the environment.
#pragma once

namespace heist::inline v0::platform {

// 0 in the process that loaded the library, and one more in each child of fork(), no matter who
// called it: what a process remembers together with this number is known to be stale in its
// children. A handler of pthread_atfork() notices the fork; where that did not run (_Fork(),
// clone(), a fork() that had begun before the library was loaded) a page does that the kernel
// clears in a child (Linux 4.14). Costs two loads. Thread-safe; async-signal-safe.
[[nodiscard]] unsigned process_generation() noexcept;

// Calls f in each child of a fork() that begins from now on, on its only thread. Refused without a
// word only if there is no memory for the entry.
void call_in_forked_child(void (*f)()) noexcept;

// Keeps the program or shared object that this code is part of loaded until the process ends.
// Threads and signal handlers of ours may run at any time: dlclose() must not take their code away.
// Thread-safe. The first call takes the loader's lock, which a thread may hold that runs the
// initialisers of what it loads and waits there for a lock of ours: the caller must hold none.
void keep_code_loaded() noexcept;

// The variable's value; nullptr if it isn't set, and whatever it is in a program that runs with
// more privileges than the user who set it (set-user-ID, file capabilities: AT_SECURE). Otherwise
// that user could have files written with the program's rights. As getenv() otherwise.
[[nodiscard]] const char* environment_variable(const char* name) noexcept;

}  // namespace heist::inline v0::platform
