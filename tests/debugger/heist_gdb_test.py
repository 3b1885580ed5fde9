"""Looks at a program's fibers with scripts/heist-gdb.py, in the process and in a core file of it:
heist_gdb_test.py SCRIPT PROGRAM.

Exit status 77, with the reason: gdb isn't there, has no Python, or may not trace a process here.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77


def gdb(*commands, core=None, program=None):
    arguments = ["gdb", "-q", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-x", SCRIPT]
    for command in commands:
        arguments += ["-ex", command]
    arguments += [program or PROGRAM] + ([core] if core else [])
    return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300).stdout


def why_not():
    if shutil.which("gdb") is None:
        return "gdb isn't installed (scripts/setup test)"
    probe = gdb("python print('has ' + 'Python')", "starti", "info registers")
    if "has Python" not in probe:
        return "this gdb has no Python"
    return "" if re.search(r"^[rs]p +0x", probe, re.MULTILINE) or re.search(r"^rip +0x", probe, re.MULTILINE) else \
        "gdb can't run a process here: " + probe.strip().splitlines()[-1]


class HeistGdb(unittest.TestCase):
    def check_fibers(self, shown):
        self.assertRegex(shown, r'pool "hung": 2 workers, \d+ fibers')
        self.assertRegex(shown, r"  worker 0, thread \d+: (running|parked|searching)")
        self.assertEqual(len(re.findall(r"fiber 0x[0-9a-f]+ waits to receive from channel 0x[0-9a-f]+$", shown, re.MULTILINE)), 1, shown)
        self.assertEqual(len(re.findall(r"fiber 0x[0-9a-f]+ waits at latch 0x[0-9a-f]+$", shown, re.MULTILINE)), 1, shown)
        self.assertEqual(len(re.findall(r"fiber 0x[0-9a-f]+ runs on worker [01]$", shown, re.MULTILINE)), 1, shown)

    def check_backtraces(self, shown):
        for wait, function in ("waits to receive", "waits_for_a_letter"), ("waits at latch", "waits_at_the_latch"):
            trace = re.search(r"fiber 0x\S+ %s.*\n((?:    .*\n)+)" % wait, shown)
            self.assertIsNotNone(trace, shown)
            self.assertIn(function, trace.group(1))
            self.assertIn("fiber_main", trace.group(1))

    def test_a_process_and_its_core_file_show_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            core = os.path.join(folder, "core")
            printed = os.path.join(folder, "printed")  # A file: gdb's own lines would cut the program's.
            live = gdb("break all_wait", "run > " + printed, "heist fibers", "echo ----\\n", "heist fibers bt", "echo ----\\n", "backtrace 1",
                       "generate-core-file " + core, "continue")
            parts = live.split("----\n")
            self.assertEqual(len(parts), 3, live)
            self.check_fibers(parts[0])
            self.check_backtraces(parts[1])
            # Nothing was changed: the thread is where it was, and the program ends well.
            self.assertRegex(parts[2], r"#0 .*all_wait")
            self.assertIn("exited normally", parts[2])
            with open(printed, encoding="utf-8") as file:
                self.assertEqual(file.read(), "2\n")

            dead = gdb("heist fibers bt", core=core)
            self.check_fibers(dead)
            self.check_backtraces(dead)

            waits = re.search(r"fiber (0x\S+) waits at latch", dead).group(1)
            runs = re.search(r"fiber (0x\S+) runs on", dead).group(1)
            one = gdb("heist bt " + waits, "heist bt " + runs, core=core)
            self.assertIn("waits_at_the_latch", one)
            self.assertNotIn("waits_for_a_letter", one)
            self.assertRegex(one, r"fiber %s runs on worker" % runs)
            self.assertIn("yield", one.split("runs on worker")[1])

            self.assertRegex(gdb("heist bt 0x1234", core=core), "heist: no fiber at 0x1234")
            self.assertRegex(gdb("heist bt", core=core), "heist bt: which fiber")
            self.assertRegex(gdb("heist fibers all", core=core), "unknown argument 'all'")

    def test_a_program_without_heist_is_refused_in_one_line(self):
        shown = gdb("heist fibers", program=shutil.which("true"))
        self.assertIn("heist: the program has no heist in it, or its symbols are stripped", shown)
        self.assertNotIn("Traceback", shown)


if __name__ == "__main__":
    SCRIPT, PROGRAM = sys.argv[1:3]
    reason = why_not()
    if reason:
        print("skipped: " + reason)
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
