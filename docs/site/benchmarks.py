"""The page of benchmarks: every report of bench/results, with the machine and the command."""

import html
import json
import os
import re

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


def about(machine, made_by):
    shown = " ".join(f"<code>{html.escape(c)}</code>" for c in made_by)
    return f'<p class="made"><span>Machine: {html.escape(machine)}</span><br><span>Command: {shown}</span></p>\n'


def of_text(text):
    machine = MACHINE.search(text)
    compiler = COMPILER.search(text)
    words = "; ".join(m[0].strip() for m in (machine, compiler) if m) or "named in the report"
    return about(words, commands(text)) + f'<pre class="code report"><code>{html.escape(text, quote=False)}</code></pre>\n'


def figure(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def of_json(text):
    report = json.loads(text)
    m = report["machine"]
    words = f"{m['cpu']}; {m['processors']} processors; {m['kernel']}; {m['compiler']} {m['flags']}; load before {m['load']:.2f}"
    command = f"heist bench --suite {report['benchmark']} --repeat {report['rounds']} --json"
    groups = {}
    for row in report["rows"]:
        groups.setdefault(row.get("group") or "", []).append(row)
    return "".join([about(words, [command]), f"<p>{html.escape(report['title'].capitalize())}. Medians; in brackets the least and the greatest.</p>\n"]
                   + [group_table(group, rows) for group, rows in groups.items()])


def group_table(group, rows):
    measured = [row for row in rows if row["measures"]]
    columns = list(dict.fromkeys((v["name"], v["unit"]) for row in measured for v in row["measures"]))
    head = "".join(f"<th>{html.escape(name)}{', ' + html.escape(unit) if unit else ''}</th>" for name, unit in columns)
    parts = [f"<h3>{html.escape(group)}</h3>\n" if group else "", f'<div class="scroll"><table class="figures"><thead><tr><th></th>{head}</tr></thead><tbody>\n']
    for row in measured:
        values = {(v["name"], v["unit"]): f"{figure(v['median'])} ({figure(v['least'])} to {figure(v['greatest'])})" for v in row["measures"]}
        cells = "".join(f"<td>{values.get(key, '')}</td>" for key in columns)
        parts.append(f"<tr><th>{html.escape(row['name'])}</th>{cells}</tr>\n")
    left_out = "; ".join(f"{row['name']}: {row.get('note') or 'no figures'}" for row in rows if not row["measures"])
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
        made.append(of_json(text) if name.endswith(".json") else of_text(text))
    return [Page("benchmarks.html", "Benchmarks", "".join(made), sections, FOLDER)]
