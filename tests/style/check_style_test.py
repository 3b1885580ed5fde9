"""Feeds each rule of check_style.py a tree that breaks it and one that doesn't: a check must be able to fail."""

import os
import tempfile
import unittest

import check_style


def complaints(files, rule):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return [f"{v.path}:{v.line}: {v.message}" for v in rule(check_style.Tree(root))]


class Rules(unittest.TestCase):
    def accepts(self, rule, files):
        self.assertEqual(complaints(files, rule), [])

    def rejects(self, rule, files, *expected):
        found = complaints(files, rule)
        self.assertEqual(len(found), len(expected), found)
        for complaint, words in zip(sorted(found), sorted(expected)):
            self.assertIn(words, complaint)

    def test_every_folder_has_a_layer(self):
        rule = check_style.check_every_folder_has_a_layer
        known = {"src/runtime/core/pool.hpp": "", "src/lab/dag/explicit_dag.hpp": "", "src/cli/args/parse.cpp": "", "tests/t.cpp": ""}
        self.accepts(rule, known)
        self.rejects(rule, known | {"src/harbour/bag.hpp": "", "src/harbour/ledger.cpp": ""}, "src/harbour/ has no layer")
        self.rejects(rule, known | {"src/lab/rooms/a.hpp": ""}, "src/lab/rooms/ has no layer")
        self.rejects(rule, known | {"src/lab/a.hpp": "", "src/b.cpp": ""}, "src/lab/ has no layer", "src/ has no layer")

    def test_layers_point_one_way(self):
        rule = check_style.check_layers
        tree = {
            "include/heist/error.hpp": "", "include/heist/pool.hpp": "#include <heist/detail/worker.hpp>\n",
            "include/heist/detail/seam.hpp": "", "include/heist/detail/worker.hpp": '#include "heist/deque/split.hpp"\n',
            "include/heist/deque/split.hpp": "#include <heist/detail/seam.hpp>\n", "src/platform/park.hpp": "",
            "src/runtime/core/pool.hpp": '#include "platform/park.hpp"\n#include <heist/pool.hpp>\n', "src/cli/a.hpp": "",
            "src/runtime/work/loop.hpp": '#include "runtime/core/pool.hpp"\n#include "runtime/notes.hpp"\n', "src/runtime/notes.hpp": "",
            "src/observe/stats/a.hpp": '#include "runtime/work/loop.hpp"\n', "src/observe/trace/a.hpp": '#include "observe/stats/a.hpp"\n',
            "integrations/libtbb/market/a.hpp": "", "integrations/libtbb/arenas/a.hpp": "",
            "src/lab/dag/a.hpp": "", "src/lab/model/a.hpp": "", "src/lab/engines/a.hpp": "", "src/lab/checks/a.hpp": "", "src/report/a.hpp": "", "src/calibration/a.hpp": "",
            "workloads/fib.cpp": "#include <heist/pool.hpp>\n", "tests/t.cpp": '#include "runtime/core/pool.hpp"\n',
        }
        self.accepts(rule, tree)
        for path, include, complaint in [
            ("src/platform/a.cpp", '"runtime/core/pool.hpp"', "must not reach src/runtime/core/pool.hpp"),
            ("src/platform/a.cpp", '"../runtime/core/pool.hpp"', "must not reach src/runtime/core/pool.hpp"),
            ("src/platform/a.cpp", "<heist/pool.hpp>", "must not reach include/heist/pool.hpp"),
            ("src/platform/a.cpp", "<heist/detail/worker.hpp>", "(through include/heist/detail/worker.hpp)"),
            ("include/heist/deque/a.hpp", "<heist/pool.hpp>", "must not reach include/heist/pool.hpp"),
            ("include/heist/a.hpp", '"../../src/platform/park.hpp"', "must not reach src/platform/park.hpp"),
            ("src/runtime/pool/a.cpp", '"lab/dag/a.hpp"', "must not reach src/lab/dag/a.hpp"),
            ("src/runtime/core/a.cpp", '"runtime/work/loop.hpp"', "must not reach src/runtime/work/loop.hpp"),
            ("src/runtime/work/a.cpp", '"observe/stats/a.hpp"', "must not reach src/observe/stats/a.hpp"),
            ("src/runtime/notes.hpp", '"runtime/core/pool.hpp"', "must not reach src/runtime/core/pool.hpp"),
            ("src/observe/stats/a.cpp", '"observe/trace/a.hpp"', "must not reach src/observe/trace/a.hpp"),
            ("integrations/libtbb/arenas/b.hpp", '"integrations/libtbb/market/a.hpp"', "must not reach integrations/libtbb/market/a.hpp"),
            ("src/graph/a.cpp", '"lab/dag/a.hpp"', "must not reach src/lab/dag/a.hpp"),
            ("src/sync/a.cpp", '"runtime/core/pool.hpp"', "must not reach src/runtime/core/pool.hpp"),
            ("src/tasks/a.cpp", '"lab/dag/a.hpp"', "must not reach src/lab/dag/a.hpp"),
            ("src/report/a.cpp", '"lab/model/a.hpp"', "must not reach src/lab/model/a.hpp"),
            ("src/lab/model/b.hpp", '"lab/dag/a.hpp"', "must not reach src/lab/dag/a.hpp"),
            ("src/lab/dag/b.hpp", '"lab/engines/a.hpp"', "must not reach src/lab/engines/a.hpp"),
            ("src/lab/engines/b.hpp", '"lab/checks/a.hpp"', "must not reach src/lab/checks/a.hpp"),
            ("src/lab/experiments/a.cpp", '"calibration/a.hpp"', "must not reach src/calibration/a.hpp"),
            ("src/lab/experiments/a.cpp", '"report/a.hpp"', "must not reach src/report/a.hpp"),
            ("src/calibration/a.cpp", '"cli/a.hpp"', "must not reach src/cli/a.hpp"),
            ("src/lab/dag/a.cpp", '"../../runtime/core/pool.hpp"', "must not reach src/runtime/core/pool.hpp"),
            ("src/lab/dag/a.cpp", "<heist/detail/seam.hpp>", "must not reach include/heist/detail/seam.hpp"),
            ("workloads/a.cpp", '"src/runtime/core/pool.hpp"', "must not reach src/runtime/core/pool.hpp"),
            ("examples/a.cpp", "<heist/detail/seam.hpp>", "detail is not part of the interface"),
        ]:
            with self.subTest(path=path, include=include):
                self.rejects(rule, tree | {path: f"// why\n#include {include}\n"}, f"{path}:2: ")
                self.rejects(rule, tree | {path: f"#include {include}\n"}, complaint)
        self.accepts(rule, tree | {"src/lab/dag/a.cpp": '// #include "../../runtime/core/pool.hpp"\n'})

    def test_files_are_short(self):
        rule = check_style.check_length
        self.accepts(rule, {"src/a.cpp": "int x;\n" * 450, "docs/a.md": "text\n" * 2000})
        self.rejects(rule, {"src/a.cpp": "int x;\n" * 451}, "451 lines")

    def test_functions_fit_on_a_screen(self):
        rule = check_style.check_functions
        body = "  if (x) { x = '{'; }  // }\n"
        for head in ("void f(int x) {", "template <class T>\nvoid f(T x) {", "a::a(int x) : b(x), c{x} {", "auto f = [](int x) {"):
            with self.subTest(head=head):
                rest = 70 - head.count("\n") - 2
                self.accepts(rule, {"src/a.cpp": f"namespace n {{\n\n{head}\n{body * rest}}};\n}}\n"})
                self.rejects(rule, {"src/a.cpp": f"namespace n {{\n\n{head}\n{body * (rest + 1)}}};\n}}\n"},
                             "src/a.cpp:3: a function of 71 lines")
        self.accepts(rule, {"src/a.hpp": "struct s {\n" + "  void f() {}\n" * 100 + "};\n"})

    def test_comments_have_100_columns(self):
        rule = check_style.check_comment_width
        self.accepts(rule, {"src/a.cpp": f"// {'x' * 97}\nconst char* s = \"{'x' * 97}\";\n"})
        self.rejects(rule, {"src/a.cpp": f"int x;  // {'x' * 90}\n"}, "src/a.cpp:1: a comment of 101 columns")

    def test_what_is_checked_is_stated(self):
        rule = check_style.check_invariants
        tree = {"src/runtime/core/a.hpp": "// Invariants.\n//   A1  It holds.\n", "src/runtime/README.md": "- **R1** It does.\n",
                "src/a.cpp": 'f(); HEIST_INVARIANT("a.hpp A1", x);\nHEIST_INVARIANT("src/runtime/README.md R1", y);\n'}
        self.accepts(rule, tree)
        for id in ("a.hpp A2", "b.hpp A1", "A1", "README.md A1"):
            self.rejects(rule, tree | {"src/b.cpp": f'\nHEIST_INVARIANT("{id}", x);\n'}, "src/b.cpp:2: no file")

    def test_blocks_are_fenced(self):
        rule = check_style.check_blocks
        self.accepts(rule, {"a.md": "text\n\n```\n    indented\n```\n\n- item\n\n    more of it\n"})
        self.rejects(rule, {"a.md": "text\n\n    block\n    of two\n"}, "a.md:3: a block by indentation")

    def test_words_that_were_hard_to_read_are_refused(self):
        rule = check_style.check_words
        self.accepts(rule, {"a.md": "The one that ends it, but for this once.\n"})
        self.rejects(rule, {"src/a.cpp": "\n// Who" "ever ends it.\n"}, "src/a.cpp:2: 'Who" "ever' was hard to read")

    def test_nothing_is_left_for_later(self):
        rule = check_style.check_markers
        self.accepts(rule, {"scripts/a": "mktemp a.XXXXXX\n", "build/a.cpp": "// TO" + "DO\n"})
        for marker in ("TO" + "DO", "FIX" + "ME", "XX" + "X"):
            for path in ("src/a.cpp", "docs/a.md", "CMakeLists.txt", "scripts/a", ".ci/run"):
                self.rejects(rule, {path: f"x\n# {marker}: later\n"}, f"{path}:2: {marker}")

    def test_headers_are_guarded_by_pragma_once(self):
        rule = check_style.check_guards
        self.accepts(rule, {"src/a.hpp": "// A story.\n/* more */\n#pragma once\nint x;\n", "src/a.cpp": "int x;\n"})
        self.rejects(rule, {"src/a.hpp": "#ifndef A\n#define A\n#endif\n"}, "#pragma once")
        self.rejects(rule, {"src/a.hpp": "#include <x>\n#pragma once\n"}, "#pragma once")
        self.rejects(rule, {"src/a.hpp": "// #pragma once\n"}, "#pragma once")

    def test_every_memory_order_is_written(self):
        rule = check_style.check_memory_orders
        self.accepts(rule, {"src/a.cpp": "a.load(relaxed); a.store(f(1, 2), release); p->fetch_add(1, relaxed);\n"
                            "a.exchange({1, 2}, acq_rel); w = word.load(); a.compare_exchange_weak(e, d, acq_rel, acquire);\n"
                            "std::exchange(x, y); store(x); // a.load() is not code\nputs(\"a.load()\"); f.test_and_set(o);\n"
                            "auto s = R\"x(a.store(1))x\"; int n = 1'000'000; char c = '\"';\n",
                            "tests/a.cpp": "EXPECT_EQ(a.load(), 1);\n"})
        for call in ("a.load()", "a.load( )", "words[1].load()", "a->load()", "a.store(1)", "a.store(f(1, 2))", "a.store({1, 2})",
                     "a.exchange(x)", "a.fetch_add(1)", "a.fetch_or(\n1)", "a.compare_exchange_weak(e, d)",
                     "a.compare_exchange_strong(e, d, acq_rel)", "f.test_and_set()", "n = 1'000; a.load(); c = '1'"):
            with self.subTest(call=call):
                self.rejects(rule, {"include/heist/a.hpp": f"{call};\n"}, "a defaulted memory order")

    def test_links_lead_somewhere(self):
        rule = check_style.check_links
        tree = {"docs/b.md": "# The `b` of *b*, twice\n## Twice\n## Twice\n```\n# not a heading\n```\n", "src/a.cpp": ""}
        self.accepts(rule, tree | {"README.md": "[b](docs/b.md#the-b-of-b-twice) [c](docs/b.md#twice-1) [d](https://x.y/z)"
                                   " [s](src/) [top](#title)\n# Title\n```\n[x](nowhere)\n```\n`[y](nowhere)`\n[r]: src/a.cpp\n"})
        for link, complaint in (("[x](docs/c.md)", "no such file"), ("![x](docs/c.png)", "no such file"),
                                ("[x](docs/b.md#thrice)", "no such heading"), ("[x](#nowhere)", "no such heading"),
                                ("[x](docs/b.md#not-a-heading)", "no such heading"), ("[r]: src/b.cpp", "no such file")):
            with self.subTest(link=link):
                self.rejects(rule, tree | {"README.md": f"text\n{link}\n"}, f"README.md:2: link to")
                self.rejects(rule, tree | {"README.md": f"text\n{link}\n"}, complaint)

    def test_file_names_in_documents_exist(self):
        rule = check_style.check_file_names
        tree = {"src/a.cpp": "", "scripts/test": ""}
        self.accepts(rule, tree | {"README.md": "`scripts/test tsan` `src/` `a.cpp` `build/release/heist` `n/2` `std::x` `src/*.cpp`"
                                   "\n```\nscripts/nothing\n```\n"})
        for name in ("scripts/tests", "src/b.cpp", "b.cpp", "src/a.cpp/x"):
            with self.subTest(name=name):
                self.rejects(rule, tree | {"README.md": f"see `{name}`\n"}, f"README.md:1: `{name}`")

    def test_programs_in_documents_are_compiled(self):
        rule = check_style.check_examples
        program = "#include <x>\n\nint main() {\n  f();\n}\n"
        tree = {"examples/a.cpp": "// Story.\n" + program, "examples/CMakeLists.txt": "add_executable(a a.cpp)\n"}
        quote = "```cpp\n" + program + "```\n"
        self.accepts(rule, tree | {"README.md": quote + "```cpp\nf();\n```\n"})
        self.accepts(rule, {"README.md": quote})
        self.rejects(rule, tree | {"README.md": quote.replace("f()", "g()")}, "not part of any file in examples/")

    def test_every_source_is_compiled(self):
        rule = check_style.check_everything_is_compiled
        tree = {"src/CMakeLists.txt": "add_library(x a.cpp platform/park.cpp)\n", "src/a.cpp": "", "src/platform/park.cpp": "",
                "src/a.hpp": "", "src/platform/c.S": "", "src/cli/CMakeLists.txt": "x(main.cpp)\n", "src/cli/main.cpp": ""}
        self.accepts(rule, tree)
        for path in ("src/b.cpp", "src/platform/parking.cpp", "src/cli/a.cpp", "tests/unit/a_test.cpp"):
            self.rejects(rule, tree | {path: ""}, f"{path}:1: not named in ")

    def test_every_rule_is_tested_and_run(self):
        rules = {name for name in dir(check_style) if name.startswith("check_") and callable(getattr(check_style, name))}
        self.assertEqual(rules, {rule.__name__ for rule in check_style.RULES})
        with open(__file__, encoding="utf-8") as file:
            own = file.read()
        for rule in rules:
            self.assertIn(f"rule = check_style.{rule}\n", own)


if __name__ == "__main__":
    unittest.main()
