"""What snippets.py takes for a snippet, and what it makes of one."""

import unittest

import snippets


def only(text):
    found = list(snippets.snippets_of(text))
    assert len(found) == 1, found
    return found[0]


class Snippets(unittest.TestCase):

    def test_a_block_with_all_its_comments(self):
        found = only("text\n\n<!-- given\nint a = 1;\n-->\n```cpp\nint b = a;\n```\n<!-- then CHECK(b == 1); -->\nmore\n")
        self.assertEqual(found, (7, "int a = 1;\n", False, "", "int b = a;\n", "CHECK(b == 1); "))

    def test_a_block_alone(self):
        self.assertEqual(only("```cpp\nf();\n```\ntext\n"), (2, "", False, "", "f();\n", ""))

    def test_definitions(self):
        found = only("<!-- definitions -->\n```cpp\nvoid f() {}\n```\n<!-- then f(); -->\n")
        self.assertTrue(found.is_definitions)
        text, _ = snippets.program([("a.md", "<!-- definitions -->\n```cpp\nvoid f() {}\n```\n<!-- then f(); -->\n")])
        self.assertLess(text.index("void f()"), text.index("static void run()"))
        self.assertLess(text.index("static void run()"), text.index("f(); "))

    def test_what_needs_a_header(self):
        text, _ = snippets.program([("a.md", "<!-- needs x/y.hpp -->\n```cpp\n#include <x/z>\nf();\n```\n")])
        self.assertTrue(text.startswith("#if __has_include(<x/y.hpp>)\n#include <x/z>\n#endif\n"), text)
        self.assertIn("#if __has_include(<x/y.hpp>)\n  snippet_1::run();\n#endif\n", text)

    def test_comments_belong_to_the_nearest_block(self):
        first, second = snippets.snippets_of("<!-- given int a; -->\n```cpp\na;\n```\n\n<!-- given int b; -->\n```cpp\nb;\n```\n"
                                             "<!-- then c; -->\n")
        self.assertEqual((first.given, first.then, second.given, second.then), ("int a; ", "", "int b; ", "c; "))

    def test_what_is_left_out(self):
        for text in ("```sh\nls\n```\n", "```\nf();\n```\n", "```cpp\nint main() {}\n```\n", "text\n"):
            self.assertEqual(list(snippets.snippets_of(text)), [], text)

    def test_includes_go_to_the_top_and_lines_stay(self):
        text, count = snippets.program([("a.md", "```cpp\n#include <x>\nf();\n```\n"), ("b.md", "```cpp\ng();\n```\n")])
        self.assertEqual(count, 2)
        self.assertTrue(text.startswith("#include <x>\n"))
        self.assertIn('#line 2 "a.md"\n\nf();\n', text)
        self.assertIn('#line 2 "b.md"\ng();\n', text)
        self.assertIn("snippet_1::run();\n  snippet_2::run();\n", text)


if __name__ == "__main__":
    unittest.main()
