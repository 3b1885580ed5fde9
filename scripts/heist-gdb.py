"""Shows the fibers of a program that uses heist, in gdb:

    gdb -x scripts/heist-gdb.py -p PID            a process
    gdb -x scripts/heist-gdb.py PROGRAM CORE      a core file

    heist fibers          pools, their workers, and every fiber: what it waits for, or who runs it
    heist fibers bt       the same, with a backtrace of each fiber that is suspended
    heist bt FIBER        the backtrace of one fiber; FIBER is the address that `heist fibers` shows

Debug information of the library isn't needed: the library has a table of its layout
(src/observe/checks/debug_layout.hpp). Where a fiber waits for a lock or the like, HEIST_CHECK=1 would tell
who holds it; from here the object's address is known.

A suspended fiber's registers lie on its stack. A backtrace begins there by an unwinder that takes
them for those of the frame which called the innermost one of the selected thread. So nothing in the
process is changed, and core files are as good as processes.
"""
import gdb
import gdb.unwinder

MAGIC = 0x6765642D74736968
VERSION = 1
# In the order of debug_layout.cpp, after the magic number and the version.
WORDS = """first_pool entry_next pool_entry pool_name plain_strings pool_workers pool_guests
    worker_index worker_tid worker_doing worker_current
    fiber_sp fiber_pool fiber_waits_kind fiber_waits_timed fiber_waits_object fiber_waits_state
    fiber_ends fiber_scope fiber_spawner
    wait_texts wait_kinds first_object_kind
    guards chunks used first_chunk_slots slot_bytes low_at guard_at size_at settled""".split()
WORKER_STATES = ["searching", "running", "starved", "parked"]


class Memory:
    def __init__(self, inferior):
        self.inferior = inferior

    def number(self, address, size):
        return int.from_bytes(self.inferior.read_memory(address, size).tobytes(), "little")

    def word(self, address):
        return self.number(address, 8)

    def text(self, address):
        return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string(errors="replace")


class Layout:
    """The table of the library, and what it leads to."""

    def __init__(self):
        try:
            table = int(gdb.parse_and_eval("(long)&heist_v0_debug_layout"))
        except gdb.error:
            raise gdb.GdbError("heist: the program has no heist in it, or its symbols are stripped: no heist_v0_debug_layout")
        self.memory = Memory(gdb.selected_inferior())
        try:
            found = [self.memory.word(table + 8 * i) for i in range(len(WORDS) + 2)]
        except gdb.MemoryError:
            raise gdb.GdbError("heist: the memory of the program can't be read; is it running, or the core file complete?")
        if found[0] != MAGIC or found[1] != VERSION:
            raise gdb.GdbError("heist: this heist-gdb.py is for layout version %d, the library has %d" % (VERSION, found[1]))
        self.__dict__.update(zip(WORDS, found[2:]))

    def pools(self):
        entry = self.memory.word(self.first_pool)
        while entry != 0:
            yield entry - self.pool_entry
            entry = self.memory.word(entry + self.entry_next)

    def name_of(self, pool):
        return self.memory.text(self.memory.word(pool + self.pool_name)) if self.plain_strings else hex(pool)

    def workers(self, pool):
        for role, where in ("worker", self.pool_workers), ("caller's thread in the seat of worker", self.pool_guests):
            begin, end = self.memory.word(pool + where), self.memory.word(pool + where + 8)
            for place in range(begin, end, 8):
                yield Worker(self, self.memory.word(place), role)

    def fibers(self):
        """All that have a stack: the table of guard pages knows them."""
        m, table = self.memory, self.guards
        number = lambda at: m.word(table + at)
        chunks, used = number(self.chunks), m.number(number(self.used), 4)
        size, first = number(self.slot_bytes), number(self.first_chunk_slots)
        chunk, begin = 0, 0
        while begin < used:
            slots = first << chunk
            start = m.word(chunks + 8 * chunk)
            for i in range(min(slots, used - begin)):
                slot = start + i * size
                low = m.word(slot + number(self.low_at))
                if low != 0:
                    yield Fiber(self, low + m.word(slot + number(self.guard_at)) + m.word(slot + number(self.size_at)))
            chunk, begin = chunk + 1, begin + slots


class Worker:
    def __init__(self, layout, address, role):
        m = layout.memory
        self.index = m.number(address + layout.worker_index, 4)
        self.tid = m.number(address + layout.worker_tid, 4)
        self.doing = WORKER_STATES[m.number(address + layout.worker_doing, 1)]
        self.fiber = m.word(address + layout.worker_current)
        self.name = "%s %d" % (role, self.index)
        # A caller that has left its seat counts as parked, and has no fiber.
        self.is_there = role == "worker" or (self.fiber != 0 and self.doing != "parked")


class Fiber:
    def __init__(self, layout, address):
        m = layout.memory
        self.address = address
        self.pool = m.word(address + layout.fiber_pool)
        self.sp = m.word(address + layout.fiber_sp)
        self.kind = m.number(address + layout.fiber_waits_kind, 4)
        self.is_child = m.word(address + layout.fiber_scope) != 0
        self.spawner = m.word(address + layout.fiber_spawner) if self.is_child else 0
        self.waits_for = ""
        if 0 < self.kind < layout.wait_kinds:
            self.waits_for = m.text(m.word(layout.wait_texts + 8 * self.kind))
            if self.kind >= layout.first_object_kind:
                self.waits_for += " 0x%x" % m.word(address + layout.fiber_waits_object)
            if m.number(address + layout.fiber_waits_timed, 1) != 0:
                self.waits_for += " for a limited time"
            settled = layout.settled & 0xFF, layout.settled >> 8
            try:
                self.is_ready = m.word(m.word(address + layout.fiber_waits_state)) in settled
            except gdb.MemoryError:
                self.is_ready = False


class Fibers:
    """What every fiber is doing, of all pools."""

    def __init__(self):
        self.layout = Layout()
        self.workers = {pool: [w for w in self.layout.workers(pool) if w.is_there] for pool in self.layout.pools()}
        self.all = {f.address: f for f in self.layout.fibers() if f.pool in self.workers}
        self.run_by = {w.fiber: w for workers in self.workers.values() for w in workers}
        # A spawner is suspended while its child runs; its rest may be stolen.
        self.spawners = set()
        for f in self.all.values():
            if (f.address in self.run_by or f.waits_for) and f.spawner in self.all and f.spawner not in self.run_by:
                self.spawners.add(f.spawner)

    def find(self, text):
        address = int(gdb.parse_and_eval("(long)(%s)" % text))
        if address not in self.all:
            raise gdb.GdbError("heist: no fiber at 0x%x; `heist fibers` lists them" % address)
        return self.all[address]

    def is_suspended(self, f):
        return f.address not in self.run_by and (bool(f.waits_for) or f.address in self.spawners)

    def describe(self, f):
        worker = self.run_by.get(f.address)
        if worker is not None:
            return ("runs on " if worker.doing == "running" else "idle on ") + worker.name
        if f.waits_for:
            return f.waits_for + ("; ready to continue" if f.is_ready else "")
        return "suspended in a spawn: its child runs" if f.address in self.spawners else "free"


REGISTERS = {  # offsets from the saved stack pointer, see context_*.S; then the size of the image
    "x86-64": ({"r15": 8, "r14": 16, "r13": 24, "r12": 32, "rbx": 40, "rbp": 48, "rip": 56}, 64, "rsp"),
    "aarch64": (dict([("x%d" % (19 + i), 64 + 8 * i) for i in range(10)] + [("x29", 144), ("x30", 152), ("pc", 152)]), 176, "sp"),
}


class FrameId:
    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


class FiberUnwinder(gdb.unwinder.Unwinder):
    """Takes the registers of a suspended fiber for those of the caller of the innermost frame."""

    def __init__(self):
        super().__init__("heist fibers")
        self.sp = None  # of the fiber that is shown

    def __call__(self, frame):
        if self.sp is None or frame.level() != 0:
            return None
        registers, size, sp = machine()
        memory = Memory(gdb.selected_inferior())
        word = gdb.lookup_type("unsigned long")
        # As if the innermost frame lay on the fiber's stack: gdb distrusts callers that lie below.
        here = gdb.Value(self.sp).cast(word)
        info = frame.create_unwind_info(FrameId(here, frame.read_register("pc")))
        for name, at in registers.items():
            info.add_saved_register(name, gdb.Value(memory.word(self.sp + at)).cast(word))
        info.add_saved_register(sp, gdb.Value(self.sp + size).cast(word))
        return info


def machine():
    name = gdb.selected_inferior().architecture().name()
    for key, registers in ("x86-64", REGISTERS["x86-64"]), ("aarch64", REGISTERS["aarch64"]):
        if key in name:
            return registers
    raise gdb.GdbError("heist: backtraces are there for x86-64 and AArch64, not for %s" % name)


UNWINDER = FiberUnwinder()
gdb.unwinder.register_unwinder(None, UNWINDER, replace=True)


def backtrace_of(f):
    machine()  # refuses before anything is changed
    thread, frame = gdb.selected_thread(), gdb.selected_frame()
    UNWINDER.sp = f.sp
    gdb.invalidate_cached_frames()
    try:
        lines = gdb.execute("backtrace", to_string=True).splitlines()
    finally:
        UNWINDER.sp = None
        gdb.invalidate_cached_frames()
        thread.switch()
        if frame.is_valid():
            frame.select()
    # Frame 0 is the thread's.
    shown = [i for i, line in enumerate(lines) if line.startswith("#1 ")]
    return lines[shown[0]:] if shown else ["heist: no backtrace"]


def backtrace_of_running(worker):
    """That of its thread."""
    before = gdb.selected_thread()
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] == worker.tid:
            thread.switch()
            try:
                return gdb.execute("backtrace", to_string=True).splitlines()
            finally:
                before.switch()
    return ["heist: no thread %d" % worker.tid]


class HeistCommand(gdb.Command):
    """Commands for programs that use heist: fibers, fibers bt, bt FIBER."""

    def __init__(self):
        super().__init__("heist", gdb.COMMAND_STACK, prefix=True)


class FibersCommand(gdb.Command):
    """heist fibers [bt]: pools, workers and fibers; bt: with backtraces of those that are suspended."""

    def __init__(self):
        super().__init__("heist fibers", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if argument not in ("", "bt"):
            raise gdb.GdbError("heist fibers: unknown argument '%s'; there is bt" % argument)
        now = Fibers()
        if not now.workers:
            print("no pools")
        for pool, workers in now.workers.items():
            mine = [f for f in now.all.values() if f.pool == pool]
            print('pool "%s": %d workers, %d fibers' % (now.layout.name_of(pool), len(workers), len(mine)))
            for w in workers:
                print("  %s, thread %d: %s" % (w.name, w.tid, w.doing))
            free = 0
            for f in mine:
                text = now.describe(f)
                if text == "free":
                    free += 1
                    continue
                print("  fiber 0x%x %s" % (f.address, text))
                if argument == "bt" and now.is_suspended(f):
                    print("\n".join("    " + line for line in backtrace_of(f)))
            if free:
                print("  %d free" % free)


class BacktraceCommand(gdb.Command):
    """heist bt FIBER: the backtrace of a fiber, whether it is suspended or runs."""

    def __init__(self):
        super().__init__("heist bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("heist bt: which fiber? `heist fibers` lists them")
        now = Fibers()
        f = now.find(argument)
        worker = now.run_by.get(f.address)
        if worker is None and not now.is_suspended(f):
            raise gdb.GdbError("heist: fiber 0x%x is free" % f.address)
        print("fiber 0x%x %s" % (f.address, now.describe(f)))
        print("\n".join(backtrace_of_running(worker) if worker is not None else backtrace_of(f)))


HeistCommand()
FibersCommand()
BacktraceCommand()
