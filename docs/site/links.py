"""The links and anchors of a folder of pages: each must lead to a page, a file or an anchor that is there."""

import os
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.twice = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if "id" in values:
            if values["id"] in self.anchors:
                self.twice.append(values["id"])
            self.anchors.add(values["id"])
        for name in ("href", "src"):
            if values.get(name) is not None:
                self.links.append((tag, values[name], self.getpos()[0]))


def read(folder):
    pages = {}
    for at, _, files in os.walk(folder):
        for name in files:
            if name.endswith(".html"):
                path = os.path.join(at, name)
                with open(path, encoding="utf-8") as file:
                    pages[os.path.normpath(path)] = Page(file.read())
    return pages


def broken(folder):
    """A line for each link that leads nowhere, each anchor that a page has twice, each thing that is loaded from elsewhere."""
    pages, found = read(folder), []
    for path, page in pages.items():
        found += [f"{path}: the anchor {a} is there twice" for a in page.twice]
        for tag, link, line in page.links:
            if link.startswith("data:"):
                continue
            if link.startswith(("http:", "https:", "mailto:", "//")):
                if tag != "a":
                    found.append(f"{path}:{line}: <{tag}> loads {link}: the site must work offline")
                continue
            way, anchor = urldefrag(link)
            target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(way))) if way else path
            if not os.path.isfile(target):
                found.append(f"{path}:{line}: {link} leads nowhere")
            elif anchor and target in pages and unquote(anchor) not in pages[target].anchors:
                found.append(f"{path}:{line}: {link}: no such anchor")
    return found
