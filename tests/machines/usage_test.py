"""What scripts/machine says to wrong usage, and what it tells qemu: usage_test.py"""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "machine"

loader = importlib.machinery.SourceFileLoader("machine", str(SCRIPT))
spec = importlib.util.spec_from_loader("machine", loader)
machine = importlib.util.module_from_spec(spec)
sys.modules["machine"] = machine  # for its dataclasses
loader.exec_module(machine)


def told(*arguments):
    ran = subprocess.run([SCRIPT, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return ran.returncode, ran.stdout, ran.stderr


class Usage(unittest.TestCase):
    def test_the_shapes_are_listed(self):
        status, out, _ = told("--list")
        self.assertEqual(status, 0)
        self.assertEqual([line.split()[0] for line in out.splitlines()], list(machine.SHAPES))

    def test_wrong_usage_is_one_line(self):
        for arguments, status, text in ((["--shape", "round", "--", "/bin/true"], 2, "no shape round: small, "),
                                        ([], 2, "which program?"), (["--", "/bin/true", "--"], 2, "which program?"),
                                        (["--", "/nowhere"], 1, "/nowhere: no such file"),
                                        (["--shape", "capacities", "--", "/bin/true"], 2, "only a machine of AArch64")):
            got, out, err = told(*arguments)
            self.assertEqual((got, out, err.count("\n")), (status, "", 1), arguments)
            self.assertIn(text, err)

    def test_nodes_have_the_processors_of_their_packages(self):
        options = machine.machine_options(machine.SHAPES["nodes"])
        self.assertIn("64,sockets=8,cores=8,threads=1", options)
        self.assertIn("node,nodeid=3,memdev=m3,cpus=48-55,cpus=56-63", options)
        self.assertIn("node,nodeid=1,cpus=4-7", machine.machine_options(machine.SHAPES["memoryless"]))

    def test_commands_stand_between_dashes(self):
        self.assertEqual(machine.commands_of(["--", "a", "-b", "--", "c"]), [[pathlib.Path("a"), "-b"], [pathlib.Path("c")]])


unittest.main()
