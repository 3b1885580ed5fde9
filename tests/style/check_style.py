"""Checks the rules of heist's code that a program can check: check_style.py [TREE].

Prints one line for each violation, path:line: message, and ends with 1 if there was any. Each rule is a
function from a tree to its violations; check_style_test.py feeds each one a tree that breaks it.
"""

import os
import re
import sys
from collections import namedtuple
from functools import cached_property

from layers import LAYERS, NO_DETAIL

Violation = namedtuple("Violation", "path line message")

SOURCE = (".hpp", ".cpp", ".S")
TEXT = SOURCE + (".md", ".cmake", ".txt", ".py", ".json", ".in", ".yml", "")
MAX_LINES = 450  # the aim is 400: a file should fit in a head
MAX_FUNCTION_LINES = 70  # and a function on a screen
MAX_COMMENT_COLUMNS = 100

# The arguments that an atomic operation has when it names its orders: for compare_exchange both of them.
EXPLICIT_ARGUMENTS = {"load": 1, "test_and_set": 1, "store": 2, "exchange": 2, "fetch": 2, "compare": 4}
# Tests are left out: what a test counts it reads after a join, where the default order is as good as any.
# A wide_word of the atomics seam is left out too: its load() is a named operation, with its orders inside.
WIDE_WORDS = ("word",)
ORDERED = ("include/", "src/", "workloads/", "bench/", "examples/", "integrations/")

MARKERS = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")  # in two parts, or this file would break its own rule


# In parts, as above.
REFUSED_WORDS = re.compile(r"\b(who" r"ever|whom" r"ever|but" r" for the|as it" r" says there)\b", re.IGNORECASE)


class Tree:
    """The files of a source tree, without what is built and what is hidden."""

    def __init__(self, root):
        self.root = root

    @cached_property
    def paths(self):
        found = []
        for folder, folders, files in os.walk(self.root):
            relative = os.path.relpath(folder, self.root)
            folders[:] = sorted(f for f in folders if f == ".ci" or (not f.startswith((".", "__")) and f != "node_modules"))
            if relative == ".":
                folders[:] = [f for f in folders if f != "build"]
            found += [os.path.normpath(os.path.join(relative, name)) for name in sorted(files)]
        return found

    @cached_property
    def text(self):
        result = {}
        for path in self.paths:
            if os.path.splitext(path)[1] in TEXT:
                with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as file:
                    result[path] = file.read()
        return result

    def sources(self, *prefixes):
        return [p for p in self.text if p.endswith(SOURCE) and p.startswith(prefixes or "")]

    def markdown(self):
        return [p for p in self.text if p.endswith(".md")]


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def blank(text, pattern):
    """Replaces what matches by spaces, so that offsets and lines stay what they were."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


COMMENT_OR_LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^\s()\\]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


# --- layers -----------------------------------------------------------------------------------------------------------

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<(heist/[^>]+)>)', re.MULTILINE)


def includes_of(tree, path):
    """The files of the tree that a source includes: (line, path)."""
    text = tree.text[path]
    for match in INCLUDE.finditer(blank(text, COMMENT)):
        name = match[1] or match[2]
        places = [os.path.dirname(path), "include", "src", "."] if match[1] else ["include"]
        for place in places:
            target = os.path.normpath(os.path.join(place, name))
            if target in tree.text:
                yield line_of(text, match.start()), target
                break


def layer_of(path):
    if path.startswith("include/heist/detail/") and path.endswith("_impl.hpp"):
        return "include/heist/"  # the second half of a public header, which includes it at its end
    return max((layer for layer in LAYERS if path.startswith(layer)), key=len, default=None)


def check_every_folder_has_a_layer(tree):
    """A folder of src/ that LAYERS doesn't know would be held to nothing: one complaint for each."""
    missing = {}
    for path in tree.sources("src/"):
        if layer_of(path) is None:
            missing.setdefault(os.path.dirname(path), path)
    for folder, path in missing.items():
        yield Violation(path, 1, f"{folder}/ has no layer: LAYERS in layers.py says what a folder may include")


def check_layers(tree):
    direct = {path: list(includes_of(tree, path)) for path in tree.sources()}
    for path, includes in direct.items():
        layer = layer_of(path)
        if layer is None:
            continue
        for line, first in includes:
            if path.startswith(NO_DETAIL) and first.startswith("include/heist/detail/"):
                yield Violation(path, line, f"{layer} must not include {first}: detail is not part of the interface")
            seen, waiting = {first}, [[first]]
            while waiting:
                way = waiting.pop()
                if not way[-1].startswith(tuple(LAYERS[layer])):
                    yield Violation(path, line, f"{layer} must not reach {way[-1]}" +
                                    (f" (through {' -> '.join(way[:-1])})" if len(way) > 1 else ""))
                    continue
                for _, target in direct.get(way[-1], []):
                    if target not in seen:
                        seen.add(target)
                        waiting.append(way + [target])


# --- form -------------------------------------------------------------------------------------------------------------


def check_length(tree):
    for path, text in tree.text.items():
        lines = text.count("\n")
        if lines > MAX_LINES and not path.endswith((".md", ".json")):
            yield Violation(path, lines, f"{lines} lines; a file has at most {MAX_LINES}")


DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
NO_FUNCTION = re.compile(r"\s*(?:template\s*<.*?>\s*)?(?:inline\s+)?(?:namespace|class|struct|union|enum|extern)\b", re.DOTALL)

INITIALIZER = re.compile(r"\)\s*(?:noexcept)?\s*:[^:]")


def functions_of(text):
    """The functions of a C++ source: (first line, number of lines). What stands inside one belongs to it."""
    code = blank(blank(text, COMMENT_OR_LITERAL), DIRECTIVE)
    open_braces, statement, function = 0, 0, None
    for match in re.finditer(r"[{};]", code):
        if match[0] == "{":
            head = code[statement:match.start()]
            if function is None and "(" in head and not NO_FUNCTION.match(head):
                function = open_braces, statement + len(head) - len(head.lstrip())
            open_braces += 1
        elif match[0] == "}":
            open_braces -= 1
            if function is not None and open_braces == function[0]:
                if INITIALIZER.search(code, function[1], match.end()) and code[match.end():].lstrip()[:1] in ("{", ","):
                    continue  # a member's braces, before the body
                first, last = line_of(code, function[1]), line_of(code, match.start())
                yield first, last - first + 1
                function = None
        statement = match.end()


def check_functions(tree):
    for path in tree.sources():
        if path.endswith(".S"):
            continue
        for line, lines in functions_of(tree.text[path]):
            if lines > MAX_FUNCTION_LINES:
                yield Violation(path, line, f"a function of {lines} lines; it has at most {MAX_FUNCTION_LINES}")


def check_comment_width(tree):
    for path in tree.sources():
        for number, line in enumerate(tree.text[path].splitlines(), 1):
            if len(line) > MAX_COMMENT_COLUMNS and re.search(r"(^|\s)(//|/?\*)", line):
                yield Violation(path, number, f"a comment of {len(line)} columns; it has at most {MAX_COMMENT_COLUMNS}")


INVARIANT = re.compile(r'HEIST_INVARIANT\("(?:([\w/.]+) )?(\w+)"')


def check_invariants(tree):
    """What is checked at run time is a numbered promise at the head of the file that the check names."""
    for path in tree.sources("include/", "src/", "integrations/"):
        for match in INVARIANT.finditer(blank(tree.text[path], COMMENT)):
            name, number = match[1] or "", match[2]
            heads = [p for p in tree.text if p == name or (p.endswith("/" + name) and p.startswith(("include/", "src/", "integrations/")))]
            stated = re.compile(rf"^(?: *//   {number} |- \*\*{number}\*\* )", re.MULTILINE)
            if len([p for p in heads if stated.search(tree.text[p])]) != 1:
                yield Violation(path, line_of(tree.text[path], match.start()), f"no file {name} states an invariant {number}")


def check_markers(tree):
    for path, text in tree.text.items():
        for match in MARKERS.finditer(text):
            yield Violation(path, line_of(text, match.start()), f"{match[1]}: do it, or open an issue and leave it out")


def check_words(tree):
    """Phrases that readers had to read twice."""
    for path, text in tree.text.items():
        for match in REFUSED_WORDS.finditer(text):
            yield Violation(path, line_of(text, match.start()), f"'{match[0]}' was hard to read: say 'the one that', 'no matter who', 'except', or name the place")


def check_guards(tree):
    for path in tree.sources():
        if not path.endswith(".hpp"):
            continue
        code = blank(tree.text[path], COMMENT).split()
        if code[:2] != ["#pragma", "once"]:
            yield Violation(path, 1, "the first line of code in a header is #pragma once")


def check_everything_is_compiled(tree):
    """The nearest CMakeLists.txt above a source names it: a forgotten line leaves a file, or a test, out without a word."""
    for path in tree.sources():
        if not path.endswith(".cpp"):
            continue
        folder = os.path.dirname(path)
        while folder and os.path.join(folder, "CMakeLists.txt") not in tree.text:
            folder = os.path.dirname(folder)
        rules = tree.text.get(os.path.join(folder, "CMakeLists.txt"), "")
        if os.path.splitext(os.path.basename(path))[0] not in re.findall(r"\w+", rules):
            yield Violation(path, 1, f"not named in {os.path.join(folder, 'CMakeLists.txt')}, so nobody compiles it")


# --- memory orders ----------------------------------------------------------------------------------------------------

ATOMIC_CALL = re.compile(r"(\w*)(?:\.|->)\s*(load|store|exchange|test_and_set|fetch_\w+|compare_exchange_\w+)\s*\(")


def count_arguments(code, start):
    """How many arguments a call has whose opening parenthesis is just before start."""
    depth, commas, empty = 1, 0, True
    for character in code[start:]:
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth == 0:
                break
        elif character == "," and depth == 1:
            commas += 1
        empty = empty and character.isspace()
    return 0 if empty else commas + 1


def check_memory_orders(tree):
    for path in tree.sources(*ORDERED):
        if path.endswith("_test.cpp"):  # those of integrations/ lie beside what they test
            continue
        code = blank(tree.text[path], COMMENT_OR_LITERAL)
        for match in ATOMIC_CALL.finditer(code):
            owner, call = match[1], match[2]
            need = EXPLICIT_ARGUMENTS.get(call) or EXPLICIT_ARGUMENTS[call.split("_")[0]]
            if owner not in WIDE_WORDS and count_arguments(code, match.end()) < need:
                yield Violation(path, line_of(code, match.start()), f"{call} with a defaulted memory order")


# --- documentation ----------------------------------------------------------------------------------------------------

FENCE = re.compile(r"^(?P<f>```+|~~~+)(?P<kind>[^\n]*)\n(?P<body>.*?)^(?P=f)[ \t]*$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(`+)(?P<code>[^`].*?)\1")
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s+<?(\S+?)>?\s*$", re.MULTILINE)
HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
FILE_NAME = re.compile(r"^[\w.-]+\.(cpp|hpp|S|md|cmake|py)$")


def anchors_of(text):
    """The anchors that a Markdown file has, made from its headings the way GitHub makes them."""
    anchors, times = set(), {}
    for heading in HEADING.findall(blank(text, FENCE)):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        seen = times.get(anchor, 0)
        times[anchor] = seen + 1
        anchors.add(f"{anchor}-{seen}" if seen else anchor)
    return anchors


def check_links(tree):
    for path in tree.markdown():
        text = blank(blank(tree.text[path], FENCE), SPAN)
        for match in LINK.finditer(text):
            target = match[1] or match[2]
            if re.match(r"[a-z]+:", target):
                continue
            line = line_of(text, match.start())
            name, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(os.path.join(tree.root, file)):
                yield Violation(path, line, f"link to {target}: no such file")
            elif anchor and file.endswith(".md") and anchor not in anchors_of(tree.text[file]):
                yield Violation(path, line, f"link to {target}: no such heading")


INDENTED = re.compile(r"^(?! *[-*\d]|  )[^\n]*\n+(?=\n(    \S))", re.MULTILINE)  # but not below an item of a list


def check_blocks(tree):
    """Blocks are fenced: what is a block by its indentation alone is prose for those who reflow a document."""
    for path in tree.markdown():
        text = blank(tree.text[path], FENCE)
        for match in INDENTED.finditer(text):
            yield Violation(path, line_of(text, match.start(1)), "a block by indentation: fence it")


def check_file_names(tree):
    """A path or a file name in `code` in a document must exist; what isn't one of ours isn't looked at."""
    folders = {path.split("/")[0] for path in tree.paths if "/" in path}
    names = {os.path.basename(path) for path in tree.paths} | {"version.hpp"}
    for path in tree.markdown():
        text = blank(tree.text[path], FENCE)
        for match in SPAN.finditer(text):
            word = match["code"].split()[0] if match["code"].split() else ""
            if re.search(r"[^\w./+-]", word):
                continue
            if "/" in word and word.split("/")[0] in folders:
                places = (".", os.path.dirname(path), "include", "src")
                exists = any(os.path.exists(os.path.join(tree.root, place, word)) for place in places)
            else:
                exists = not FILE_NAME.match(word) or word in names
            if not exists:
                yield Violation(path, line_of(text, match.start()), f"`{word}`: no such file")


def check_examples(tree):
    """A whole program in a document is a copy out of examples/."""
    quoted = [squeeze(tree.text[path]) for path in tree.sources("examples/")]
    if not quoted:
        return
    for path in tree.markdown():
        text = tree.text[path]
        for match in FENCE.finditer(text):
            if match["kind"].strip() in ("cpp", "c++") and re.search(r"\bint main\(", match["body"]):
                if not any(squeeze(match["body"]) in example for example in quoted):
                    yield Violation(path, line_of(text, match.start()), "this program is not part of any file in examples/")


def squeeze(code):
    return " ".join(code.split())


RULES = [check_every_folder_has_a_layer, check_layers, check_length, check_functions, check_comment_width, check_invariants, check_markers, check_words,
         check_guards, check_everything_is_compiled, check_memory_orders, check_links, check_blocks, check_file_names, check_examples]


def check(root):
    tree = Tree(root)
    return [violation for rule in RULES for violation in rule(tree)]


def main(arguments):
    root = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    violations = check(root)
    for path, line, message in violations:
        print(f"{path}:{line}: {message}")
    print(f"{len(Tree(root).text)} files, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
