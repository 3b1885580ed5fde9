"""Counts the default pools of a process that holds several copies of heist:
copies_test.py FOLDER, which has the programs host_* and the plugins plugin_*.so and other_version.so.
"""

import os
import re
import subprocess
import sys
import unittest

FOLDER = sys.argv.pop()


def run(host, *plugins, stats=False):
    environment = dict(os.environ, HEIST_WORKERS="2", HEIST_STATS="1" if stats else "0")
    done = subprocess.run([os.path.join(FOLDER, host)] + [os.path.join(FOLDER, p + ".so") for p in plugins], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"{host} {plugins} ended with {done.returncode}: {done.stdout}{done.stderr}")
    threads = int(re.search(r"threads: (\d+)", done.stdout).group(1))
    return (threads - 1) // 2, done.stderr


class Copies(unittest.TestCase):
    def check_pools(self, expected, host, *plugins):
        with self.subTest(host=host, plugins=plugins):
            self.assertEqual(run(host, *plugins)[0], expected)

    def test_a_program_shares_its_pool_with_its_plugins(self):
        for host in "host_static", "host_shared":
            for plugins in ["plugin_static"], ["plugin_shared"], ["plugin_static", "plugin_shared"]:
                self.check_pools(1, host, *plugins)

    def test_plugins_that_link_the_shared_library_share_its_pool(self):
        self.check_pools(1, "host_without", "plugin_shared")
        self.check_pools(1, "host_without", "plugin_shared", "plugin_shared_2")

    def test_pools_that_are_not_shared_are_named(self):
        for host, plugins in (("host_without", ["plugin_static", "plugin_shared"]),
                              ("host_without", ["plugin_static", "plugin_static_2"]),
                              ("host_hidden", ["plugin_static"])):
            self.check_pools(2, host, *plugins)
            with self.subTest(host=host, plugins=plugins):
                said = run(host, *plugins, stats=True)[1]
                lines = re.findall(r"another copy, heist \S+ in (.*), has a default pool of 2 workers of its own", said)
                self.assertEqual(len(lines), 2, said)  # each copy's table names the other one
                self.assertNotEqual(lines[0], lines[1])

    def test_a_shared_pool_is_not_named(self):
        self.assertNotIn("another copy", run("host_static", "plugin_static", "plugin_shared", stats=True)[1])

    def test_another_version_is_named(self):
        said = run("host_static", "other_version", stats=True)[1]
        self.assertRegex(said, r"another copy, heist 9\.8\.7 in .*other_version\.so, has a default pool of 7 workers of its own")


if __name__ == "__main__":
    unittest.main()
