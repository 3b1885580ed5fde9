// Puts the page together from the recording that it holds.
import { decode } from "./data.js";
import { derive } from "./model.js";
import { measure } from "./measures.js";
import { findings, summary } from "./findings.js";
import { isDark, rankRegions } from "./colours.js";
import { Timeline, legend } from "./timeline.js";
import { charts, measuredSpeedup } from "./charts.js";
import * as tables from "./tables.js";
import { h, number, percent, plural, time } from "./dom.js";

const root = document.documentElement;
const page = document.getElementById("page");

function setTheme(theme) { root.dataset.theme = theme; }

function lostWarning(run, model) {
  const lost = run.lanes.filter((lane) => lane.lost_events > 0);
  const result = [];
  if (lost.length > 0) {
    const sum = lost.reduce((s, lane) => s + lane.lost_events, 0);
    result.push(h("p", { class: "warning", id: "lost", "data-lost": sum },
      `The recording has lost ${plural(sum, "event")} of ${plural(lost.length, "lane")} (${lost.slice(0, 8).map((l) => l.name).join(", ")}${lost.length > 8 ? ", …" : ""}), ` +
      "the oldest ones, since rings were full. What happened before is not shown, and times there are wrong."));
  }
  if (model.refused > 0)
    result.push(h("p", { class: "warning", id: "refused", "data-refused": model.refused }, `${plural(model.refused, "event")} can't be read and ${model.refused === 1 ? "is" : "are"} left out.`));
  return result;
}

function figures(run, measures, model) {
  const all = [["duration", "Duration", time(measures.duration), measures.duration], ["worker-count", "Workers", measures.pools > 1 ? `${measures.workers} in ${measures.pools} pools` : number(measures.workers), measures.workers],
    ["working", "Working", Number.isFinite(measures.working) ? percent(measures.working) : "-", measures.working],
    ["steals", "Steals", number(model.steals.length), model.steals.length], ["event-count", "Events", number(run.events.count), run.events.count]];
  if (run.profile?.parallelism > 0) all.push(["parallelism", "Parallelism T1/Tinf", number(run.profile.parallelism), run.profile.parallelism]);
  const speedup = measuredSpeedup(measures, run.profile);
  if (Number.isFinite(speedup)) all.push(["speed", "Speed-up in this run", number(speedup), speedup]);
  return h("dl", { class: "figures", id: "figures" }, all.map(([id, name, text, value]) => h("div", {}, h("dt", {}, name), h("dd", { id, "data-value": value }, text))));
}

function findingsSection(found, measures) {
  return h("section", { "aria-labelledby": "findings-title" }, h("h2", { id: "findings-title" }, "Findings"), h("p", { id: "summary" }, summary(measures)),
    found.length === 0 ? h("p", { id: "no-findings" }, measures.workers === 0 ? "Nothing to look at." : "Nothing that costs a twentieth of the workers' time or more.")
      : h("ol", { class: "findings", id: "findings" }, found.map((f) => h("li", { "data-finding": f.key, "data-share": f.share.toFixed(4) }, h("strong", {}, f.text), f.remedy))));
}

function build(run) {
  const model = derive(run), measures = measure(model), ranks = rankRegions(measures);
  const timeline = new Timeline(model, ranks);
  const legendPlace = h("div"), chartsPlace = h("div", { class: "charts", id: "charts" });
  const state = { drawn: [] };
  const draw = () => {
    for (const chart of state.drawn) chart.destroy();
    const all = charts(model, measures);
    legendPlace.replaceChildren(legend(model, ranks, measures));
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

  document.title = `${run.program || "a run"}: heist report`;
  page.replaceChildren(
    h("header", {}, h("div", {}, h("h1", { id: "program" }, run.program || "A run without a name"), h("div", { class: "quiet" }, [run.machine, plural(run.processors, "processor"), `heist ${run.version}`].filter(Boolean).join(" · "))), themeButton),
    ...lostWarning(run, model), figures(run, measures, model), findingsSection(findings(measures, run), measures),
    h("section", {}, h("h2", {}, "Timeline"), timeline.element, legendPlace),
    h("section", {}, h("h2", {}, "Charts"), h("p", { class: "hint" }, "Drag over a chart to zoom, double-click for all."), chartsPlace),
    h("section", {}, h("h2", {}, "Tables"), tables.workers(model, measures), tables.reasons(measures), tables.regions(model, measures, ranks.order), tables.predictions(run.profile), tables.events(model)),
    h("section", {}, h("h2", {}, "Counters"), tables.statistics(run).length > 0 ? tables.statistics(run) : h("p", { class: "quiet" }, "The recording has no statistics of its pools.")),
    h("section", {}, h("h2", {}, "Machine"), tables.machine(run)),
    ...(run.profile?.not_covered?.length > 0 ? [h("section", {}, h("h2", {}, "What the work and span leave out"), h("ul", {}, run.profile.not_covered.map((s) => h("li", {}, String(s)))))] : []));
  draw();
  new ResizeObserver(resize).observe(chartsPlace);
  printing(draw);
  return { model, timeline, draw };
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
