// Puts the page together from the recording that it holds.
import { decode } from "./data.js";
import { isDark, rankRegions } from "./colours.js";
import { Timeline, legend } from "./timeline.js";
import { charts, measuredSpeedup } from "./charts.js";
import * as tables from "./tables.js";
import { h, number, plural, share, time } from "./dom.js";

const root = document.documentElement;
const page = document.getElementById("page");

function setTheme(theme) { root.dataset.theme = theme; }

function lostWarning({ report }) {
  const lost = report.lanes.filter((lane) => lane.lost_events > 0);
  if (lost.length === 0) return [];
  return [h("p", { class: "warning", id: "lost", "data-lost": report.lost_events },
    `The recording has lost ${plural(report.lost_events, "event")} of ${plural(lost.length, "lane")} (${lost.slice(0, 8).map((l) => l.name).join(", ")}${lost.length > 8 ? ", …" : ""}), ` +
    "the oldest ones, for which there was no room. What happened before is not shown, and times there are wrong.")];
}

function figures(run) {
  const { report, profile } = run, steals = report.events_by_kind.steal;
  const all = [["duration", "Duration", time(report.duration_ns), report.duration_ns], ["worker-count", "Workers", number(report.workers), report.workers],
    ["working", "Working", share(report.work_ns, report.capacity_ns), report.work_ns / report.capacity_ns],
    ["steals", "Steals", number(steals), steals], ["event-count", "Events", number(report.events), report.events]];
  if (profile?.parallelism > 0) all.push(["parallelism", "Parallelism T1/Tinf", number(profile.parallelism), profile.parallelism]);
  const speedup = measuredSpeedup(run);
  if (Number.isFinite(speedup)) all.push(["speed", "Speed-up in this run", number(speedup), speedup]);
  return h("dl", { class: "figures", id: "figures" }, all.map(([id, name, text, value]) => h("div", {}, h("dt", {}, name), h("dd", { id, "data-value": value }, text))));
}

const findings = ({ report }) => h("section", { "aria-labelledby": "findings-title" }, h("h2", { id: "findings-title" }, "Findings"), h("p", { id: "machine-line" }, report.machine_line), h("p", { id: "summary" }, report.headline),
  h("ol", { class: "findings", id: "findings" }, report.findings.map((f) => h("li", { "data-finding": f.key, "data-share": f.share.toFixed(4) }, h("strong", {}, f.what), " ", f.remedy))));

function build(run) {
  const { report, profile } = run;
  const timeline = new Timeline(run, rankRegions(run));
  const legendPlace = h("div"), chartsPlace = h("div", { class: "charts", id: "charts" });
  const state = { drawn: [] };
  const draw = () => {
    for (const chart of state.drawn) chart.destroy();
    const all = charts(run);
    legendPlace.replaceChildren(legend(run));
    chartsPlace.replaceChildren(...all.map((c) => c.element));
    state.drawn = all.map((c) => c.draw());
    state.places = all.map((c) => c.place);
    timeline.draw();
  };
  const resize = () => state.drawn.forEach((chart, i) => {
    const width = state.places[i].clientWidth;
    if (width > 0 && Math.abs(width - chart.width) > 1) chart.setSize({ width, height: chart.height });
  });
  const themeButton = h("button", { id: "theme", type: "button", onclick: () => {
    setTheme(isDark() ? "light" : "dark");
    themeButton.textContent = isDark() ? "Light" : "Dark";
    draw();
  } }, isDark() ? "Light" : "Dark");

  document.title = `${report.program || "a run"}: heist report`;
  page.replaceChildren(
    h("header", {}, h("div", {}, h("h1", { id: "program" }, report.program || "A run without a name"),
      h("div", { class: "quiet" }, [report.machine, plural(report.processors, "processor"), `heist ${report.version}`].filter(Boolean).join(" · "))), themeButton),
    ...lostWarning(run), figures(run), findings(run),
    h("section", {}, h("h2", {}, "Timeline"), timeline.element, legendPlace),
    h("section", {}, h("h2", {}, "Charts"), h("p", { class: "hint" }, "Drag over a chart to zoom, double-click for all."), chartsPlace),
    h("section", {}, h("h2", {}, "Tables"), tables.workers(run), tables.causes(run), tables.regions(run), tables.waits(run), tables.predictions(profile), tables.events(run)),
    h("section", {}, h("h2", {}, "Counters"), tables.statistics(run).length > 0 ? tables.statistics(run) : h("p", { class: "quiet" }, "The recording has no statistics of its pools.")),
    h("section", {}, h("h2", {}, "Machine"), tables.machine(run)),
    ...(profile?.not_covered?.length > 0 ? [h("section", {}, h("h2", {}, "What the work and span leave out"), h("ul", {}, profile.not_covered.map((s) => h("li", {}, String(s)))))] : []));
  draw();
  new ResizeObserver(resize).observe(chartsPlace);
  printing(draw);
  return { draw };
}

// Paper is white, and narrower than a screen: the pictures are drawn anew for it, since they don't follow by themselves.
function printing(draw) {
  let before;
  window.addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    root.classList.add("paper");
    setTheme("light");
    draw();
  });
  window.addEventListener("afterprint", () => {
    root.classList.remove("paper");
    setTheme(before);
    draw();
  });
}

const began = performance.now();
setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
try {
  const place = document.getElementById("run");
  const run = decode(place.textContent);
  place.textContent = "";
  const built = build(run);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => {
    setTheme(e.matches ? "dark" : "light");
    built.draw();
  });
  root.dataset.buildMs = (performance.now() - began).toFixed(0);
  root.dataset.state = "ready";
} catch (error) {
  page.replaceChildren(h("h1", {}, "This recording can't be shown"), h("p", { class: "warning", id: "error" }, String(error?.message ?? error)));
  root.dataset.state = "failed";
}
