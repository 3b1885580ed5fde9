"""Makes one C++ program of the code blocks in Markdown files: snippets.py OUTPUT DOCUMENT...

A reader does not want to see the definitions of an example's variables, nor the checks of their
values. Both are in comments, which Markdown does not show:

    <!-- given C++ -->     before a block: definitions that it uses
    <!-- definitions -->   before a block: it has functions or types of its own
    <!-- needs HEADER -->  before a block: it is left out if the header does not exist
    <!-- then C++ -->      after a block: checks, as CHECK(condition);

Each block becomes a function in a namespace of its own, and the program calls one after the other;
#include lines go to the top. Blocks with a main() of their own are left out: they are copies of
files in examples/, which the style test checks.
"""

import os
import re
import sys
from collections import namedtuple

Snippet = namedtuple("Snippet", "line given is_definitions needs code then")

BLOCK = re.compile(r"(?P<before>(?:^<!--(?:(?!-->).)*?-->\n)*)^```cpp\n(?P<code>.*?)^```\n(?P<after>(?:^<!--[ \n]then.*?-->\n)?)",
                   re.MULTILINE | re.DOTALL)
GIVEN = re.compile(r"<!--\s*given\s(.*?)-->", re.DOTALL)
THEN = re.compile(r"<!--\s*then\s(.*?)-->", re.DOTALL)
NEEDS = re.compile(r"<!--\s*needs\s+(\S+)\s*-->")
INCLUDE = re.compile(r"^[ \t]*#include[^\n]*\n", re.MULTILINE)

HEAD = """#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <heist/heist.hpp>

namespace {
int failures = 0;
void check(bool holds, const char* file, int line, const char* condition) {
  if (holds) return;
  std::printf("%s:%d: not true: %s\\n", file, line, condition);
  ++failures;
}
}  // namespace
#define CHECK(condition) check(condition, __FILE__, __LINE__, #condition)

"""


def snippets_of(text):
    for match in BLOCK.finditer(text):
        if re.search(r"\bint main\(", match["code"]):
            continue
        yield Snippet(text.count("\n", 0, match.start("code")) + 1, "".join(GIVEN.findall(match["before"])),
                      "<!-- definitions -->" in match["before"], "".join(NEEDS.findall(match["before"])), match["code"], "".join(THEN.findall(match["after"])))


def place(snippet, document):
    return f'#line {snippet.line} "{document}"\n'


def only_if(header, code):
    return f"#if __has_include(<{header}>)\n{code}#endif\n" if header else code


def program(documents):
    """documents: (name, text). The text of the program, and how many snippets it has."""
    includes, bodies, calls = [], [], []
    for document, text in documents:
        for snippet in snippets_of(text):
            includes += [only_if(snippet.needs, line) for line in INCLUDE.findall(snippet.code)]
            code = place(snippet, document) + INCLUDE.sub("\n", snippet.code)
            # A failed check reports the line of its block.
            then = place(snippet, document) + " ".join(snippet.then.split("\n")) + "\n"
            name = f"snippet_{len(calls) + 1}"
            before, inside = (code, "") if snippet.is_definitions else ("", code)
            body = f"namespace {name} {{\n{before}static void run() {{\n{snippet.given}\n{inside}{then}}}\n}}\n"
            bodies.append(only_if(snippet.needs, body))
            calls.append(only_if(snippet.needs, f"  {name}::run();\n"))
    main = "int main() {\n" + "".join(calls) + f'  if (failures == 0) std::printf("{len(calls)} snippets\\n");\n  return failures == 0 ? 0 : 1;\n}}\n'
    return "".join(sorted(set(includes))) + HEAD + "".join(bodies) + main, len(calls)


def main(arguments):
    documents = []
    for path in arguments[1:]:
        with open(path, encoding="utf-8") as file:
            documents.append((os.path.basename(path), file.read()))
    text, count = program(documents)
    if count == 0:
        print("no code in " + " ".join(arguments[1:]), file=sys.stderr)
        return 1
    with open(arguments[0], "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
