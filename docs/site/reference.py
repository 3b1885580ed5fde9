"""The reference: a page for each public header, with every name, its signature and the comment that documents it."""

import html
import posixpath
import re

import contents
import headers as reading
import prose
from page import Page

ITEM = re.compile(r"^ *- ")


def address(header):
    return "reference/" + header.path.removeprefix("heist/").removesuffix(".hpp") + ".html"


def anchors(header):
    """Each name of a header with its anchor: pool.run, and pool.run-2 for the second of that name."""
    used = {}
    for name in reading.walk(header.names):
        anchor = name.qualified.removeprefix("heist::").replace("::", ".").replace(" ", "")
        used[anchor] = used.get(anchor, 0) + 1
        yield name, anchor + (f"-{used[anchor]}" if used[anchor] > 1 else "")


def names(headers):
    """The address of every public name, by its name without heist::, and of its last part where that is unique."""
    whole, last = {}, {}
    for header in headers:
        for name, anchor in anchors(header):
            key = name.qualified.removeprefix("heist::")
            whole.setdefault(key, f"{address(header)}#{anchor}")
            last.setdefault(name.name, set()).add(key)
    short = {name: whole[next(iter(keys))] for name, keys in last.items() if len(keys) == 1 and ("_" in name or name.isupper())}
    return {**short, **whole}


CODE_INDENT = 4  # of code and of drawings; less continues the line above it, or names a term
TERM = re.compile(r"^ {2,3}(\S(?:\S| (?! ))*) {2,}(\S.*)$")


def blocks(lines):
    """The parts of a comment: ("text" or "item" or "term" or "code", its lines); of a term the first is the term.

    A line that is indented by two or three spaces continues what stands above it: "f(x): does this," and in the
    next line "  and that." Such a part ends where a line isn't indented. If it has a gap, "  top_    the oldest
    item", it is a term with what that means, which goes on in lines that are indented further.
    """
    made, open_, hangs = [], False, False
    for line in lines:
        line = line.rstrip()
        indent = len(line) - len(line.lstrip())
        last = made[-1][0] if made and open_ else None
        if not line:
            if made and made[-1][0] == "code":
                made[-1][1].append("")
            open_ = hangs = False
            continue
        if ITEM.match(line):
            kind, begins = "item", True
            line = ITEM.sub("", line)
        elif (term := TERM.match(line)) and not term[1].endswith(";"):
            made.append(("term", [term[1]]))
            kind, begins, line = "term", False, term[2]
        elif last in ("item", "term") and indent:
            kind, begins, line = last, False, line.strip()
        elif last == "text" and 0 < indent < CODE_INDENT:
            kind, begins, line, hangs = "text", False, line.strip(), True
        elif indent >= 2 and not (hangs and last == "text"):
            kind, begins = "code", not (made and made[-1][0] == "code")
        else:
            kind, begins = "text", last != "text" or (hangs and indent == 0)
            hangs = hangs and not begins
            line = line.strip()
        if begins:
            made.append((kind, []))
        made[-1][1].append(line)
        open_ = True
    return made


LISTS = {"item": "ul", "term": "dl"}


class Writer:
    def __init__(self, site, header):
        self.site, self.header, self.page = site, header, address(header)
        self.here = {}  # the names of this header, which come before those of others
        for name, anchor in anchors(header):
            self.here.setdefault(name.name, f"{self.page}#{anchor}")

    def sentence(self, text):
        """A comment's sentence, in which names that the reference has are links."""
        def mark(word):
            if word.startswith("`"):
                return f"<code>{html.escape(word[1:-1], quote=False)}</code>"
            is_name = "_" in word or "::" in word or word.endswith(("()", ">"))
            target = (self.here.get(word.removesuffix("()")) or self.site.name(word)) if is_name else None
            shown = html.escape(word, quote=False)
            if target and not target.startswith(self.page + "#"):
                return f'<a href="{prose.relative(target, self.page)}"><code>{shown}</code></a>'
            if target:
                return f'<a href="#{target.partition("#")[2]}"><code>{shown}</code></a>'
            return f"<code>{shown}</code>" if "::" in word or word.endswith("()") or "_" in word else shown
        parts = re.split(r"(`[^`]+`|<heist/[\w/]+\.hpp>|HEIST_\*|\b[A-Za-z_][\w:]*\w(?:\(\))?)", text)
        return "".join(mark(p) if n % 2 else html.escape(p, quote=False) for n, p in enumerate(parts))

    def comment(self, lines):
        made, before = [], None
        for kind, part in blocks(lines):
            if before != kind and before in LISTS:
                made.append(f"</{LISTS[before]}>\n")
            if before != kind and kind in LISTS:
                made.append(f"<{LISTS[kind]}>\n")
            before = kind
            if kind == "code":
                made.append(self.code(part))
            elif kind == "term":
                made.append(f"<dt>{self.sentence(part[0])}</dt><dd>{self.sentence(' '.join(part[1:]))}</dd>\n")
            else:
                tag = "li" if kind == "item" else "p"
                made.append(f"<{tag}>{self.sentence(' '.join(part))}</{tag}>\n")
        return "".join(made) + (f"</{LISTS[before]}>\n" if before in LISTS else "")

    @staticmethod
    def code(lines):
        while lines and not lines[-1]:
            lines.pop()
        indent = min(len(line) - len(line.lstrip()) for line in lines if line)
        text = "\n".join(line[indent:] for line in lines) + "\n"
        return prose.code_block(text, "cpp" if re.search(r"[;{}]\s*(//.*)?$", text, re.MULTILINE) and indent >= 4 else "")

    def members(self, names, anchored, level):
        made, at = [], 0
        while at < len(names):
            end = at + 1
            if not names[at].members:
                while end < len(names) and names[end].how == "group" and not names[end].members:
                    end += 1
            made.append(self.entry(names[at:end], anchored, level))
            at = end
        return "".join(made)

    def entry(self, group, anchored, level):
        first = group[0]
        signatures = "".join(f'<span class="signature" id="{anchored[id(n)]}">{prose.highlight(n.signature, "cpp").rstrip()}'
                             f'<a class="anchor" href="#{anchored[id(n)]}" aria-label="Link to {html.escape(n.name)}">#</a></span>' for n in group)
        comment = [] if first.how in ("head", "group") else first.comment
        heading = f"<h{level} class=\"name\">{html.escape(first.name)} <span class=\"quiet\">{first.kind}</span></h{level}>\n" if level == 2 else ""
        inside = self.members(first.members, anchored, level + 1) if first.members else ""
        value = " value" if first.kind in ("enumerator", "field") else ""
        return (f'<section class="entry{value}">\n{heading}<pre class="code"><code>{signatures}</code></pre>\n'
                f'<div>{self.comment(comment)}</div>{f"""<div class="members">{inside}</div>""" if inside else ""}</section>\n')

    def write(self):
        anchored = {id(name): anchor for name, anchor in anchors(self.header)}
        title = f"<{self.header.path}>"
        sections = [prose.Section("top", 1, title, self.header.about)]
        sections += [prose.Section(anchored[id(n)], 2, n.name) for n in unique(self.header.names)]
        body = (f'<h1 id="top"><code>{html.escape(title)}</code></h1>\n<div class="about">{self.comment(list(self.header.about))}</div>\n'
                + self.members(self.header.names, anchored, 2))
        return Page(self.page, title, body, sections, "include/" + self.header.path)


def unique(names):
    first = {}
    for name in names:
        first.setdefault(name.name, name)
    return list(first.values())


def summary(lines):
    """The first sentence of a comment."""
    text = next((" ".join(part) for kind, part in blocks(lines) if kind == "text"), "")
    return re.split(r"(?<=[^.]\.) (?=[A-Z])", text, maxsplit=1)[0].rstrip(":")


def topics(headers):
    """(topic, its headers); each header is in the first topic that names it."""
    left, made = list(headers), []
    for topic, wanted in contents.TOPICS:
        chosen = []
        for want in wanted:
            chosen += [h for h in left if h not in chosen and (
                h.path.removeprefix("heist/").startswith(want) if want == "" or want.endswith("/") else h.path == f"heist/{want}.hpp")]
        left = [h for h in left if h not in chosen]
        if chosen:
            made.append((topic, chosen))
    return made


def index(headers):
    made, sections = ['<h1 id="reference">Reference</h1>\n<p>Every public name of heist, from the comments of its headers. '
                      "What is in <code>heist::detail</code> is not the interface.</p>\n"], [prose.Section("reference", 1, "Reference")]
    for topic, chosen in topics(headers):
        anchor = prose.slug(topic)
        sections.append(prose.Section(anchor, 2, topic))
        made.append(f'<h2 id="{anchor}">{topic}</h2>\n<div class="scroll"><table class="headers">\n')
        for header in chosen:
            way = posixpath.relpath(address(header), "reference")
            public = ", ".join(f'<a href="{way}#{a}">{html.escape(n.name)}</a>' for n, a in top(header))
            made.append(f'<tr><th><a href="{way}"><code>&lt;{header.path}&gt;</code></a></th>'
                        f"<td>{html.escape(summary(header.about))}<br><span class=\"names\">{public}</span></td></tr>\n")
        made.append("</table></div>\n")
    return Page("reference/index.html", "Reference", "".join(made), sections, "include/heist")


def top(header):
    wanted = {id(n) for n in unique(header.names)}
    return [(n, a) for n, a in anchors(header) if id(n) in wanted]


def pages(site):
    return [index(site.headers)] + [Writer(site, header).write() for header in site.headers]


def entries(headers):
    """What search finds of the reference: one entry for each name of a scope, with the comment about it."""
    found = {}
    for header in headers:
        for name, anchor in anchors(header):
            found.setdefault((header.path, name.qualified), [
                "n", name.qualified.removeprefix("heist::"), f"<{header.path}>", f"{address(header)}#{anchor}", " ".join(" ".join(name.comment).split())])
    return list(found.values())
