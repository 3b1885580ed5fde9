"""The page of benchmarks: every report of bench/results, with the machine and the command."""

import html
import json
import os
import re
import subprocess

import prose
from page import Page

FOLDER = "bench/results"
# A report of `heist bench` begins with the benchmark's name; others have their command in their first lines.
BY_HEIST = re.compile(r"^([a-z_]+): ", re.MULTILINE)
COMMANDS = re.compile(r"^(?:\$ (.+)|.*?((?:integrations|bench)/[\w./]+.*))$", re.MULTILINE)
MACHINE = re.compile(r"^.*(?:Linux \d|processors of a).*$", re.MULTILINE)
COMPILER = re.compile(r"^ *(?:(?:g\+\+|clang|compiler) \d.*)$", re.MULTILINE)


def files(root):
    return sorted(n for n in os.listdir(os.path.join(root, FOLDER)) if n.endswith((".txt", ".json")))


def anchor(name):
    return re.sub(r"[^\w-]+", "-", name.rsplit(".", 1)[0])


def title(name):
    benchmark, _, where = name.rsplit(".", 1)[0].partition("-")
    return f"{benchmark}, {where.replace('g++', 'g++ ').replace('clang', 'clang ').replace('-2-processors', ', 2 processors').replace('-', ', ').replace('zen5', 'Zen 5').replace('xeon', 'Xeon')}"


def commands(text):
    measured = list(dict.fromkeys(BY_HEIST.findall(text)))
    found = [m[1] or m[2] for m in COMMANDS.finditer(text)]
    return found or [f"heist bench {name}" for name in measured]


def date_of(root, name):
    """When the report was added; "" where that isn't known: the sources may have come without their history."""
    done = subprocess.run(["git", "-C", root, "log", "-1", "--format=%cs", "--", f"{FOLDER}/{name}"], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def about(machine, made_by, date):
    shown = " ".join(f"<code>{html.escape(c)}</code>" for c in made_by)
    return f'<p class="made"><span>Machine: {html.escape(machine)}</span><br><span>Command: {shown}</span>{f"<br><span>Date: {date}</span>" if date else ""}</p>\n'


# "time 0.301 s (0.257 to 0.306)": name, median, unit, least and greatest.
MEASURE = re.compile(r"^(.+?) (-?[\d.]+)(?: ([^\s(]+))?(?: \((-?[\d.]+) to (-?[\d.]+)\))?$")
CELLS = re.compile(r" {2,}")
NOT_BUILT = "not built"  # a rival that was missing says nothing


def of_text(text, date):
    machine = MACHINE.search(text)
    compiler = COMPILER.search(text)
    words = "; ".join(m[0].strip() for m in (machine, compiler) if m) or "named in the report"
    said = {m[0] for m in (machine, compiler) if m}
    return about(words, commands(text), date) + "".join(part.html() for part in parts_of([line for line in text.splitlines() if line not in said]))


class Rows:
    """Lines of a report of heist bench: a name and its measures."""

    def __init__(self):
        self.rows = []

    @staticmethod
    def read(line):
        name, *cells = CELLS.split(line.strip())
        found = [MEASURE.match(cell) for cell in cells]
        if not found or not found[0] or not line.startswith("  "):
            return None
        notes = [cell for cell, match in zip(cells, found) if not match]
        return {"name": name, "measures": [m.groups() for m in found if m], "notes": notes}

    def html(self):
        columns = list(dict.fromkeys((m[0], m[2]) for row in self.rows for m in row["measures"]))
        head = "".join(f"<th>{html.escape(name)}{', ' + html.escape(unit) if unit else ''}</th>" for name, unit in columns)
        has_notes = any(row["notes"] for row in self.rows)
        made = [f'<div class="scroll"><table class="figures"><thead><tr><th></th>{head}{"<th></th>" if has_notes else ""}</tr></thead><tbody>\n']
        for title, group in self.groups():
            if title:
                made.append(f'<tr class="group"><th colspan="{len(columns) + 1 + has_notes}">{html.escape(title)}</th></tr>\n')
            most = {c: max((float(m[1]) for row in group for m in row["measures"] if (m[0], m[2]) == c), default=0) for c in columns}
            for row in group:
                name = row["name"].removeprefix(title + ": ")
                values = {(m[0], m[2]): m for m in row["measures"]}
                barred = next((c for c in columns if c in values), None)
                cells = "".join(self.cell(values.get(c), most[c], c == barred) for c in columns)
                note = f"<td>{html.escape('; '.join(row['notes']))}</td>" if has_notes else ""
                made.append(f"<tr><th>{html.escape(name)}</th>{cells}{note}</tr>\n")
        return "".join(made) + "</tbody></table></div>\n"

    def groups(self):
        """Rows in a row whose names begin alike, "axpy: serial" and "axpy: heist", under that name."""
        made = []
        for row in self.rows:
            title = row["name"].rpartition(": ")[0]
            if not made or made[-1][0] != title:
                made.append((title, []))
            made[-1][1].append(row)
        return made

    @staticmethod
    def cell(measure, most, is_first):
        """A figure; the first of a row with a bar as long as its share of the group's greatest one."""
        if measure is None:
            return "<td></td>"
        _, median, _, least, greatest = measure
        bar = f'<span class="measure" style="width:{100 * max(0, float(median)) / most:.1f}%"></span>' if is_first and most > 0 else ""
        spread = f' <span class="quiet">({least} to {greatest})</span>' if least else ""
        return f"<td>{median}{spread}{bar}</td>"


class Grid:
    """Lines of columns, as other programs print them; the first line names them if it has no figure."""

    def __init__(self):
        self.rows = []

    def html(self):
        if len(self.rows) == 1:
            return f"<p>{html.escape('  '.join(self.rows[0]))}</p>\n"
        has_head = not any(re.match(r"^-?[\d.]+\b", cell) for cell in self.rows[0][1:])
        made = []
        for n, row in enumerate(self.rows):
            tag = "th" if has_head and n == 0 else "td"
            made.append(f"<tr><th>{html.escape(row[0])}</th>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row[1:]) + "</tr>\n")
        return f'<div class="scroll"><table class="figures">{"".join(made)}</table></div>\n'


class Lines:
    """Sentences and headings of a report; what was promised and missed stands out."""

    def __init__(self):
        self.rows = []

    def html(self):
        return "".join(self.line(row.strip()) for row in self.rows)

    @staticmethod
    def line(text):
        shown = html.escape(text, quote=False)
        if text.startswith("target: "):
            state = "missed" if re.search(r"\bmissed\b", text) else "met"
            return f'<p class="target {state}">{shown}</p>\n'
        if text.endswith(":") or re.match(r"^[a-z_]+: ", text):
            return f"<h3>{shown.rstrip(':')}</h3>\n"
        return f"<p>{shown}</p>\n"


def parts_of(lines):
    """The lines of a report, in order, as tables and sentences."""
    made = []

    def into(kind, fits=lambda part: True):
        if not made or not isinstance(made[-1], kind) or not fits(made[-1]):
            made.append(kind())
        return made[-1].rows

    for line in lines:
        if not line.strip() or NOT_BUILT in line:
            if made and not line.strip():
                made.append(Lines())
            continue
        cells = CELLS.split(line.strip())
        if row := Rows.read(line):
            into(Rows).append(row)
        elif len(cells) > 1 and not line.lstrip().startswith("target:"):
            into(Grid, lambda part, n=len(cells): len(part.rows[0]) == n).append(cells)
        else:
            into(Lines).append(line)
    return made


def figure(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def of_json(text, date):
    report = json.loads(text)
    m = report["machine"]
    words = f"{m['cpu']}; {m['processors']} processors; {m['kernel']}; {m['compiler']} {m['flags']}; load before {m['load']:.2f}"
    command = f"heist bench --suite {report['benchmark']} --repeat {report['rounds']} --json"
    groups = {}
    for row in report["rows"]:
        groups.setdefault(row.get("group") or "", []).append(row)
    return "".join([about(words, [command], date), f"<p>{html.escape(report['title'].capitalize())}. Medians; in brackets the least and the greatest.</p>\n"]
                   + [group_table(group, rows) for group, rows in groups.items()])


def group_table(group, rows):
    measured = [row for row in rows if row["measures"]]
    if not measured:
        return ""
    columns = list(dict.fromkeys((v["name"], v["unit"]) for row in measured for v in row["measures"]))
    head = "".join(f"<th>{html.escape(name)}{', ' + html.escape(unit) if unit else ''}</th>" for name, unit in columns)
    parts = [f"<h3>{html.escape(group)}</h3>\n" if group else "", f'<div class="scroll"><table class="figures"><thead><tr><th></th>{head}</tr></thead><tbody>\n']
    for row in measured:
        values = {(v["name"], v["unit"]): f"{figure(v['median'])} ({figure(v['least'])} to {figure(v['greatest'])})" for v in row["measures"]}
        cells = "".join(f"<td>{values.get(key, '')}</td>" for key in columns)
        parts.append(f"<tr><th>{html.escape(row['name'])}</th>{cells}</tr>\n")
    left_out = "; ".join(f"{row['name']}: {row.get('note') or 'no figures'}" for row in rows
                         if not row["measures"] and NOT_BUILT not in (row.get("note") or ""))
    return "".join(parts) + "</tbody></table></div>\n" + (f'<p class="made">{html.escape(left_out)}.</p>\n' if left_out else "")


def pages(site):
    sections = [prose.Section("benchmarks", 1, "Benchmarks")]
    made = ['<h1 id="benchmarks">Benchmarks</h1>\n<p>Reports as <code>heist bench</code> and the other programs wrote them. '
            'Times are of the machine that each one names; a target that was missed says so. '
            '<a href="bench/index.html">What is measured</a> has what each benchmark is for, its options and what is promised; '
            '<a href="results/index.html">Papers repeated</a> has the tables and figures of the literature.</p>\n']
    for name in files(site.root):
        text = site.read(f"{FOLDER}/{name}")
        sections.append(prose.Section(anchor(name), 2, title(name), [] if name.endswith(".json") else [text]))
        made.append(f'<h2 id="{anchor(name)}">{html.escape(title(name))}</h2>\n')
        date = date_of(site.root, name)
        made.append(of_json(text, date) if name.endswith(".json") else of_text(text, date))
    return [Page("benchmarks.html", "Benchmarks", "".join(made), sections, FOLDER)]
