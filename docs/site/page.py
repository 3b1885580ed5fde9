"""One page of the site."""

from dataclasses import dataclass


@dataclass
class Page:
    path: str  # on the site
    title: str
    html: str  # between the menu and the list of headings
    sections: list  # prose.Section, for that list and for search
    source: str  # what it was made from

    def outline(self):
        return [s for s in self.sections if s.level in (2, 3) and s.title]
