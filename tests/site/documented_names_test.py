"""Every public name has a comment: documented_names_test.py TREE. Ends with 77, skipped, where libclang is missing."""

import os
import subprocess
import sys
import tempfile
import unittest

TREE = None
PYTHON = os.environ.get("HEIST_SITE_PYTHON", "/usr/bin/python3")

PLANTED = """// A header with faults that the check must find, and names that need no comment.
#pragma once

namespace heist::inline v0 {

// A shelf of boxes.
class shelf {
 public:
  shelf() = default;
  shelf(const shelf&) = delete;
  ~shelf();
  // How many boxes there are.
  int boxes() const;
  int room() const;
  bool operator==(const shelf&) const = default;
  int width = 0;  // in millimetres

 private:
  int secret() const;
};

// wait_for() and wait_until() wait.
void wait_for(int);
void wait_until(int);

struct bare {
  int depth = 0;
};

enum class colour {
  red,  // as blood
  green,
};

namespace detail {
void hidden();
}

}  // namespace heist::inline v0

#define HEIST_PLANTED 1
"""
FOUND = {(14, "heist::shelf::room"), (26, "heist::bare"), (27, "heist::bare::depth"), (30, "heist::colour"),
         (32, "heist::colour::green"), (41, "HEIST_PLANTED")}

# Prints line and name of what the check finds in one planted header.
LOOK = """
import sys
sys.path.insert(0, sys.argv[1])
import headers
for line in headers.undocumented(headers.Reader(sys.argv[2]).read(["heist/planted.hpp"])):
    print(line)
"""


def run(*arguments):
    return subprocess.run([PYTHON, "-B", *arguments], capture_output=True, text=True, check=False)


class DocumentedNames(unittest.TestCase):
    def test_every_public_name_of_heist_has_a_comment(self):
        done = run(os.path.join(TREE, "docs/site/build.py"), "--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertGreater(int(done.stdout.split()[0]), 500, done.stdout)

    def planted(self, text):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "include/heist"))
            with open(os.path.join(folder, "include/heist/planted.hpp"), "w", encoding="utf-8") as file:
                file.write(text)
            done = run("-c", LOOK, os.path.join(TREE, "docs/site"), folder)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def test_names_without_a_comment_are_found_and_no_others(self):
        found = {(int(line.split(":")[1]), line.split(" ")[1]) for line in self.planted(PLANTED)}
        self.assertEqual(found, FOUND)

    def test_a_header_that_does_not_say_what_it_is_is_found(self):
        lines = self.planted("#pragma once\n")
        self.assertEqual(len(lines), 1)
        self.assertIn("include/heist/planted.hpp:1:", lines[0])


def missing():
    if not os.access(PYTHON, os.X_OK):
        return f"no {PYTHON}"
    probe = run("-c", "import clang.cindex; clang.cindex.Index.create()")
    return None if probe.returncode == 0 else f"{PYTHON} has no clang.cindex with libclang (Debian: python3-clang-14)"


if __name__ == "__main__":
    TREE = sys.argv.pop(1)
    if reason := missing():
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
