"""Markdown as a page: headings with GitHub's anchors, links that lead to pages, code in colours.

The parser is markdown-it (CommonMark and tables). Comments of the source, in which the documents keep what
tests/docs compiles, are left out.
"""

import html
import os
import posixpath
import re
from dataclasses import dataclass, field

import pygments
import pygments.formatters
import pygments.lexers
from markdown_it import MarkdownIt
from markdown_it.token import Token

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
FORMATTER = pygments.formatters.HtmlFormatter(nowrap=True)


@dataclass
class Section:
    anchor: str
    level: int
    title: str
    words: list = field(default_factory=list)


@dataclass
class Rendered:
    title: str
    html: str
    sections: list


def highlight(code, language):
    """The lines of code as HTML, with the classes of Pygments' tokens."""
    names = {"cpp": "cpp", "c++": "cpp", "sh": "bash", "console": "console", "cmake": "cmake", "json": "json", "python": "python"}
    if language not in names:
        return html.escape(code, quote=False)
    return pygments.highlight(code, pygments.lexers.get_lexer_by_name(names[language], stripnl=False), FORMATTER)


def code_block(code, language=""):
    return f'<pre class="code"><code>{highlight(code, language)}</code></pre>\n'


def inline_code(code):
    """Code in a sentence; narrow columns may break it after the parts of a name."""
    return "<code>" + re.sub("(_|::)", r"\1<wbr>", html.escape(code)) + "</code>"


def slug(title):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def plain(inline):
    return "".join(t.content if t.type in ("text", "code_inline") else " " if t.type == "softbreak" else "" for t in inline.children or ())


def relative(target, page):
    """The address of one page of the site in another."""
    target, _, anchor = target.partition("#")
    if target == page:
        return "#" + anchor if anchor else ""
    return posixpath.relpath(target, posixpath.dirname(page) or ".") + ("#" + anchor if anchor else "")


class Prose:
    def __init__(self, site):
        self.site = site
        self.markdown = MarkdownIt("commonmark").enable("table")
        rules = self.markdown.renderer.rules
        rules["fence"] = lambda tokens, at, options, env: code_block(tokens[at].content, tokens[at].info.strip().split(" ")[0])
        rules["code_inline"] = lambda tokens, at, options, env: inline_code(tokens[at].content)
        rules["code_block"] = lambda tokens, at, options, env: code_block(tokens[at].content)
        rules["table_open"] = lambda tokens, at, options, env: '<div class="scroll"><table>\n'
        rules["table_close"] = lambda tokens, at, options, env: "</table></div>\n"

    def render(self, text, source, page):
        """The page `page` of the site, of the Markdown that the file `source` holds."""
        tokens = [t for t in self.markdown.parse(text) if not self.is_comment(t)]
        sections, used = [Section("", 1, "")], {}
        for at, token in enumerate(tokens):
            if token.type == "heading_open":
                title = plain(tokens[at + 1])
                anchor = slug(title)
                used[anchor] = used.get(anchor, -1) + 1
                anchor += f"-{used[anchor]}" if used[anchor] else ""
                token.attrSet("id", anchor)
                sections.append(Section(anchor, int(token.tag[1]), title))
            elif token.type == "inline":
                if tokens[at - 1].type != "heading_open":
                    sections[-1].words.append(plain(token))
                token.children = self.children(token.children, source, page, not self.is_of_others(source, tokens, at))
            elif token.type in ("fence", "code_block"):
                sections[-1].words.append(token.content)
        title = next((s.title for s in sections if s.title), os.path.basename(source))
        return Rendered(title, self.markdown.renderer.render(tokens, self.markdown.options, {}), sections)

    @staticmethod
    def is_comment(token):
        if token.type == "html_block":
            token.content = COMMENT.sub("", token.content)
            return not token.content.strip()
        return False

    @staticmethod
    def is_of_others(source, tokens, at):
        """Whether the names in the text `tokens[at]` are another library's: there the first column has them."""
        return posixpath.basename(source) == "coming-from.md" and tokens[at - 2].type == "tr_open"

    def children(self, tokens, source, page, links_names):
        made, ends, linked = [], [], 0
        for at, token in enumerate(tokens):
            if token.type == "html_inline" and COMMENT.fullmatch(token.content):
                continue
            if token.type == "link_open":
                linked += 1
                token, end = self.link(token, tokens[at + 1:], source, page)
                ends.append(end)
            elif token.type == "link_close":
                linked -= 1
                token = ends.pop() or token
            elif token.type == "image":
                token = raw(self.image(token, source, page))
            elif token.type == "code_inline" and links_names and not linked and (target := self.site.name(token.content)):
                token = raw(f'<a href="{relative(target, page)}">{inline_code(token.content)}</a>')
            made.append(token)
        return made

    def link(self, token, rest, source, page):
        """The beginning of a link and, if it doesn't lead to a page of the site, what stands at its end."""
        href = token.attrGet("href")
        if href.startswith("#") or re.match(r"[a-z]+:", href):
            return token, None
        path, _, anchor = href.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        target = self.site.where(path)
        text = "".join(t.content for t in rest[:[t.type for t in rest].index("link_close")])
        if target:
            address = relative(target + (f"#{anchor}" if anchor else ""), page)
            token.attrSet("href", address or os.path.basename(page))
            if text in (path, posixpath.basename(path)) and path in self.site.titles:
                rest[0].content = self.site.titles[path]
            return token, None
        if text in (path, posixpath.basename(path)):
            return raw('<code class="path">'), raw("</code>")
        return raw(""), raw(f' (<code class="path">{html.escape(path)}</code>)')

    def image(self, token, source, page):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), token.attrGet("src")))
        alt = html.escape(token.content)
        ways = self.site.picture(path)
        shown = [f'<img class="{kind}" src="{relative(way, page)}" alt="{alt}" loading="lazy">' for kind, way in ways]
        return f'<span class="picture">{"".join(shown)}</span>'


def raw(text):
    return Token("html_inline", "", 0, content=text)
