"""Reads heist's public headers: every public name with its signature and the comment that documents it.

libclang says what is declared; signatures and comments are taken from the text, so that they are what
the author wrote. What documents a declaration:

    above   the `//` lines that end on the line before it
    behind  the `//` at the end of one of its lines, and the lines of nothing else that continue it
    group   the comment above the first of several declarations of one kind without a blank line between them,
            if their names say that they belong together (are_related), or the comment names them
    head    the comment at the head of the header, for the class or enumeration that the header is called after

These need none: what is deleted or defaulted, destructors, copies and moves, comparisons, deduction guides,
the member types that the standard's requirements name (STANDARD_TYPES), and definitions of what is declared
and documented before. Not public are namespaces called detail, private and protected members, and names
that are only declared.
"""

import os
import re
import tempfile
from dataclasses import dataclass, field

import clang.cindex as ci

PARTS = ("", "sync", "deque", "cluster")  # of include/heist; detail/ is not the interface

STANDARD_TYPES = {
    "value_type", "difference_type", "size_type", "reference", "const_reference", "pointer", "iterator", "const_iterator",
    "iterator_category", "iterator_concept", "is_transparent", "promise_type", "element_type",
}

Kind = ci.CursorKind
SCOPES = {Kind.CLASS_DECL: "class", Kind.STRUCT_DECL: "struct", Kind.CLASS_TEMPLATE: "class",
          Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION: "class", Kind.ENUM_DECL: "enum", Kind.UNION_DECL: "union"}
OTHERS = {Kind.FUNCTION_DECL: "function", Kind.FUNCTION_TEMPLATE: "function", Kind.CXX_METHOD: "function",
          Kind.CONSTRUCTOR: "constructor", Kind.DESTRUCTOR: "destructor", Kind.CONVERSION_FUNCTION: "function",
          Kind.VAR_DECL: "constant", Kind.FIELD_DECL: "field", Kind.ENUM_CONSTANT_DECL: "enumerator",
          Kind.TYPE_ALIAS_DECL: "type", Kind.TYPE_ALIAS_TEMPLATE_DECL: "type", Kind.TYPEDEF_DECL: "type"}
DATA = ("type", "constant", "field")
FUNCTIONS = ("function", "constructor", "destructor")
CONCEPT = re.compile(r"^(?:template[^;{]*?>\s*)concept\s+(\w+)\s*=", re.DOTALL)
MACRO = re.compile(r"^#[ \t]*define[ \t]+(HEIST_\w+)", re.MULTILINE)


class Refused(Exception):
    """A sentence for the user: what is missing or wrong."""


@dataclass
class Name:
    name: str
    qualified: str
    kind: str
    header: str
    line: int
    end: int
    signature: str
    comment: list
    how: str  # above, behind, group, head, or "" where there is none
    exempt: bool
    members: list = field(default_factory=list)


@dataclass
class Header:
    path: str  # as it is included: heist/pool.hpp
    about: list
    names: list


def public_headers(root):
    found = []
    for part in PARTS:
        folder = os.path.join(root, "include/heist", part)
        found += [os.path.join("heist", part, n) for n in sorted(os.listdir(folder)) if n.endswith(".hpp")]
    return found


class Text:
    """The lines of a header, and the comments in them."""

    def __init__(self, text):
        self.text = text
        self.bytes = text.encode()
        self.lines = text.split("\n")

    def comment_of(self, number):
        """The text of the comment on a line that has nothing else, or None."""
        line = self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""
        return re.sub(r"^//", "", line) if line.startswith("//") else None

    def above(self, line):
        found = []
        while (text := self.comment_of(line - 1)) is not None:
            found.append(text)
            line -= 1
        found = [re.sub(r"^ ", "", t) for t in reversed(found)]
        # A note to a tool stands beside the declaration and isn't about it.
        return [] if any("clang-format o" in t for t in found) else found

    def behind(self, first, last):
        """The comments at the ends of lines first to last, and the line after which they end."""
        found = []
        for number in range(first, last + 1):
            match = re.search(r"^[^\"]*?\S.*?(?<![:\"])//+ ?(.*)$", self.lines[number - 1])
            if match:
                found.append(match[1])
        if found and "//" in self.lines[last - 1]:
            column = self.lines[last - 1].index("//")
            while last < len(self.lines) and re.match(rf"^ {{{column}}}// ?", self.lines[last]):
                found.append(re.sub(r"^ *// ?", "", self.lines[last]))
                last += 1
        return found, last

    def about(self):
        found = []
        for line in self.lines:
            if not line.startswith("//"):
                break
            found.append(re.sub(r"^// ?", "", line))
        return found


def end_of_signature(text, start, is_enumerator):
    """Where what a caller needs to know ends: before a body, an initialiser list, or the semicolon."""
    depth, at, closed = 0, start, False
    while at < len(text):
        c = text[at]
        if text.startswith("//", at):
            at = text.index("\n", at)
        elif c == '"' or (c == "'" and not text[at - 1].isalnum()):
            at = re.compile(r"(?:\\.|[^\\])*?" + c, re.DOTALL).match(text, at + 1).end() - 1
        elif c in "([":
            depth += 1
        elif c in ")]":
            if depth == 0:
                return at
            depth -= 1
            closed = True
        elif depth == 0 and c == "{":
            before = text[start:at].rstrip()
            if not before.endswith(("=", "requires")) and not re.search(r"\brequires\s*\([^)]*\)$", before):
                return at
            depth += 1
        elif c == "{":
            depth += 1
        elif c == "}":
            if depth == 0:
                return at
            depth -= 1
        elif depth == 0 and (c == ";" or (is_enumerator and c == ",")):
            return at
        elif depth == 0 and closed and c == ":" and text[at - 1] != ":" and text[at + 1] != ":":
            return at
        at += 1
    return at


def tidy(signature):
    signature = re.sub(r"[ \t]*//[^\n]*", "", signature)
    signature = re.sub(r"\bHEIST_API\s+|\[\[gnu::\w+\]\]\s*|\s*// clang-format.*", "", signature)
    lines = [line.rstrip() for line in signature.strip().split("\n") if line.strip()]
    if len(lines) > 1:
        inner = min((len(line) - len(line.lstrip()) for line in lines[1:]), default=0)
        lines = lines[:1] + [line[inner:] if line[:inner].isspace() or inner == 0 else line.lstrip() for line in lines[1:]]
        lines = lines[:1] + [line if line.startswith(("auto", "requires", "[[", "class", "struct", "inline", "friend", "static"))
                             or lines[0].startswith("template") and n == 0 else "    " + line.lstrip()
                             for n, line in enumerate(lines[1:])]
    return "\n".join(lines)


def is_exempt(cursor, name, kind, signature, scope):
    if kind == "destructor" or re.search(r"=\s*(delete|default)\s*$", signature):
        return True
    if re.match(r"operator\s*(==|!=|<=>|<=|>=|<|>)$", name):
        return True
    own = re.sub(r"<.*", "", scope.rsplit("::", 1)[-1])
    if kind == "constructor" or name == "operator=":
        inside = signature[signature.find("(") + 1:signature.rfind(")")].strip()
        if re.fullmatch(rf"(?:const\s+)?{re.escape(own)}(?:<[^<>]*>)?\s*&&?\s*\w*", inside):
            return True
    return kind == "type" and name in STANDARD_TYPES and bool(cursor.semantic_parent.kind in SCOPES)


def are_related(one, other):
    """wait_for and wait_until, lock and lock_shared, begin and end, operator* and operator->: one comment may be about both."""
    if one.kind != other.kind and not (one.kind in DATA and other.kind in DATA):
        return False
    if re.search(rf"\b({re.escape(other.name)}|{re.escape(other.name.split('_')[0])}\(\))", " ".join(one.comment)):
        return True
    if one.name.startswith("operator") or other.name.startswith("operator"):
        return one.name.startswith("operator") and other.name.startswith("operator") or one.name == other.name
    first, second = one.name.split("_"), other.name.split("_")
    return first[0] == second[0] or (first[-1] == second[-1] and len(first) > 1) or (one.name, other.name) == ("begin", "end")


class Reader:
    def __init__(self, root, folder="include"):
        self.root, self.folder = root, folder
        self.headers = {}

    def read(self, paths):
        for path in paths:
            with open(os.path.join(self.root, self.folder, path), encoding="utf-8") as file:
                text = Text(file.read())
            self.headers[path] = (text, Header(path, text.about(), []))
        unit = self.parse(paths)
        self.visit(unit.cursor, self.top_level, "")
        for text, header in self.headers.values():
            header.names += self.macros(text, header)
            header.names.sort(key=lambda n: n.line)
        return [header for _, header in self.headers.values()]

    def parse(self, paths):
        with tempfile.TemporaryDirectory() as made:
            os.mkdir(os.path.join(made, "heist"))
            stands_in = {"heist/version.hpp": "#pragma once\n", "mpi.h": "typedef struct stands_in_for_mpi* MPI_Comm;\n"}
            for name, text in stands_in.items():
                with open(os.path.join(made, name), "w", encoding="utf-8") as file:
                    file.write(text)
            source = "".join(f'#include "{path}"\n' for path in paths)
            unit = ci.Index.create().parse(
                "all.cpp", args=["-std=c++20", f"-I{os.path.join(self.root, self.folder)}", f"-I{made}"],
                unsaved_files=[("all.cpp", source)])
        errors = [d for d in unit.diagnostics if d.severity >= ci.Diagnostic.Error]
        if errors:
            hint = " (Debian: libasio-dev)" if "asio" in errors[0].spelling else ""
            raise Refused(f"the headers don't compile: {errors[0].location.file}:{errors[0].location.line}: {errors[0].spelling}{hint}")
        return unit

    def visit(self, cursor, into, scope):
        for child in cursor.get_children():
            if child.location.file is None:
                continue
            path = os.path.relpath(child.location.file.name, os.path.join(self.root, self.folder))
            if path in self.headers:
                into(child, scope, path)

    def top_level(self, cursor, scope, path):
        if cursor.kind == Kind.NAMESPACE:
            if cursor.spelling in ("detail", "std", ""):
                return
            self.visit(cursor, self.top_level, scope if cursor.spelling == "v0" else f"{scope}{cursor.spelling}::")
            return
        text, header = self.headers[path]
        self.add(cursor, scope, path, text, header.names)

    def add(self, cursor, scope, path, text, into):
        if cursor.kind == Kind.FRIEND_DECL:
            for child in cursor.get_children():
                if child.kind in (Kind.FUNCTION_DECL, Kind.FUNCTION_TEMPLATE) and child.is_definition():
                    self.add(child, scope, path, text, into)
            return
        start = cursor.extent.start.offset
        written = text.bytes[start:].decode()
        concept = CONCEPT.match(written) if cursor.kind in (Kind.UNEXPOSED_DECL, getattr(Kind, "CONCEPT_DECL", None)) else None
        kind = "concept" if concept else SCOPES.get(cursor.kind) or OTHERS.get(cursor.kind)
        name = concept[1] if concept else cursor.spelling
        if kind is None or not name or "(unnamed" in name or name.startswith("<deduction"):
            return
        if kind in SCOPES.values() and not cursor.is_definition():
            return
        if kind in FUNCTIONS and cursor.semantic_parent != cursor.lexical_parent and cursor.lexical_parent.kind not in SCOPES:
            return  # the definition of a member, out of its class
        if cursor.kind == Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION or (kind in SCOPES.values() and re.match(r"template\s*<\s*>", written)):
            return  # a special case of what the primary template documents
        into.append(self.entry(cursor, scope, path, text, name, kind, into))

    def entry(self, cursor, scope, path, text, name, kind, before):
        first, last = cursor.extent.start.line, cursor.extent.end.line
        start = len("\n".join(text.lines[:first - 1])) + (first > 1)
        start += len(text.lines[first - 1]) - len(text.lines[first - 1].lstrip())
        if kind == "enumerator":
            start = len(text.bytes[:cursor.extent.start.offset].decode())
        end = end_of_signature(text.text, start, kind == "enumerator")
        signature = tidy(text.text[start:end])
        name = re.sub(r"<.*", "", name) if kind == "constructor" else name
        if kind in FUNCTIONS or kind in SCOPES.values():
            end_of_head = text.text.count("\n", 0, end) + 1
        else:
            end_of_head = max(last, text.text.count("\n", 0, end) + 1)
        made = Name(name, scope + name, kind, path, first, last, signature, [], "", False)
        if comment := text.above(first):
            made.comment, made.how = comment, "above"
        else:
            self.comment_beside(made, text, first, end_of_head, before)
        made.exempt = is_exempt(cursor, name, kind, signature, scope.rstrip(":"))
        if kind in SCOPES.values():
            for child in cursor.get_children():
                if child.access_specifier in (ci.AccessSpecifier.PRIVATE, ci.AccessSpecifier.PROTECTED):
                    continue
                self.add(child, f"{scope}{name}::", path, text, made.members)
        return made

    @staticmethod
    def comment_beside(made, text, first, end_of_head, before):
        behind, end = text.behind(first, end_of_head)
        made.end = max(made.end, end)
        if behind:
            made.comment, made.how = behind, "behind"
        elif before and before[-1].end + 1 >= first and before[-1].how in ("above", "group") and (
                are_related(before[-1], made) or are_related(next(b for b in reversed(before) if b.how == "above"), made)):
            made.comment, made.how = before[-1].comment, "group"
        elif made.kind in SCOPES.values() and made.name == os.path.basename(made.header)[:-4]:
            made.comment, made.how = text.about(), "head"

    def macros(self, text, header):
        for match in MACRO.finditer(text.text):
            line = text.text.count("\n", 0, match.start()) + 1
            comment = text.above(line)
            yield Name(match[1], match[1], "macro", header.path, line, line, match[0], comment, "above" if comment else "", False)


def walk(names):
    for name in names:
        yield name
        yield from walk(name.members)


def undocumented(headers):
    """header:line and name of every public name that nothing documents."""
    for header in headers:
        if not header.about:
            yield f"include/{header.path}:1: {header.path} doesn't begin with a comment that says what it is"
        for name in walk(header.names):
            if not name.comment and not name.exempt:
                yield f"include/{header.path}:{name.line}: {name.qualified} ({name.kind}) has no comment"
