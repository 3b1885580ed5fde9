// The charts, drawn by uPlot (https://github.com/leeoniya/uPlot, MIT).
import uPlot from "uplot";
import { state, stateNames } from "./data.js";
import { colours } from "./colours.js";
import { h, number, plural, share, time } from "./dom.js";

const shade = (colour, alpha) => colour + Math.round(255 * alpha).toString(16).padStart(2, "0");
const axis = (label, values, more = {}) => {
  const c = colours();
  return { stroke: c.quiet, label, labelSize: 18, labelFont: "12px system-ui", font: "11px system-ui", grid: { stroke: c.line, width: 1 }, ticks: { stroke: c.line, width: 1 }, values, ...more };
};

// A figure that holds a chart; the chart is made when it stands in the page and has a width.
function figure(id, title, says, options, data, height, broad) {
  const place = h("div");
  const element = h("figure", { class: broad ? "chart broad" : "chart", id, role: "group", "aria-label": `${title}. ${says}` }, h("h3", {}, title), h("figcaption", {}, says), place);
  const draw = () => {
    const width = Math.max(200, place.clientWidth);
    return new uPlot({ width, height, cursor: { drag: { x: true, y: false } }, ...options }, data, place);
  };
  return { element, place, draw };
}

// Too few values for a picture, which would suggest a shape: a sentence says them.
const fewest = 30;
function sentence(id, title, says) {
  const element = h("p", { class: "sentence", id }, h("strong", {}, `${title}: `), says);
  const nothing = () => {};
  return { element, place: element, draw: () => ({ destroy: nothing, setSize: nothing, width: element.clientWidth }) };
}

// Beside a legend's name stands the value under the pointer; without one, what the whole run says.
const under = (whole, text) => (u, v, series, at) => (at === null || at === undefined ? whole(u.data[series]) : v === null || v === undefined ? "-" : text(v, at));
const known = (values) => Array.from(values).filter((v) => v !== null && Number.isFinite(v));
const mean = (values) => { const all = known(values); return all.length === 0 ? "-" : `${number(all.reduce((sum, v) => sum + v, 0) / all.length)} on average`; };
const greatest = (values) => { const all = known(values); return all.length === 0 ? "-" : `${number(all.reduce((most, v) => Math.max(most, v), -Infinity))} at most`; };
const total = (values) => number(known(values).reduce((sum, v) => sum + v, 0));
const always = (text) => () => text;
const atTime = (size) => under(always("the whole run"), (v) => time(v * size));

const low = { size: 30, labelSize: 16, labelGap: 0 };  // an axis below a chart
const powersOfTwo = (_, __, least, most) => {
  const result = [];
  for (let x = 2 ** Math.ceil(Math.log2(Math.max(least, 2 ** -20))); x <= most; x *= 2) result.push(x);
  return result;
};
const timeAxis = (duration) => {
  const [size, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]].find(([s]) => duration >= s) ?? [1, "ns"];
  return { size, axis: axis(`time in ${unit}`, (_, ticks) => ticks.map((t) => number(t)), low) };
};
const middles = (count, duration, size) => Array.from({ length: count }, (_, b) => ((b + 0.5) * duration) / count / size);

function utilisation({ report, use }) {
  if (report.workers === 0 || use.length === 0) return null;
  const c = colours(), { size, axis: x } = timeAxis(report.duration_ns);
  const order = [state.working, state.blocked, state.idle, state.parked];
  const sums = new Float64Array(use.length);
  const stacked = order.map((s) => Array.from(sums, (_, b) => (sums[b] += use[b][s])));
  const drawn = order.map((s, i) => ({
    label: stateNames[s], stroke: i === 0 ? c.states.working : shade(c.quiet, 0.5), fill: c.states[stateNames[s]], width: i === 0 ? 1.5 : 0.5, points: { show: false },
    value: under(() => `${number(use.reduce((sum, step) => sum + step[s], 0) / use.length)} on average`, (v, at) => number(v - (i === 0 ? 0 : stacked[i - 1][at]))),
  })).reverse();  // the highest first, so that the lower ones are drawn over it
  return figure("utilisation", "Utilisation over time", `How many of ${plural(report.workers, "worker")} did what; ${share(report.work_ns, report.capacity_ns)} worked on average.`, {
    scales: { x: { time: false }, y: { range: [0, Math.max(1, report.workers)] } }, axes: [x, axis("workers", (_, ticks) => ticks.map((t) => number(t)))],
    series: [{ label: "time", value: atTime(size) }, ...drawn],
  }, [middles(use.length, report.duration_ns, size), ...stacked.reverse()], 230, true);
}

const depthSteps = 500;

function depth({ report, steals }) {
  if (steals.count < fewest) return null;  // the histogram's sentence says it
  const c = colours(), { size, axis: x } = timeAxis(report.duration_ns);
  const most = new Array(depthSteps).fill(null), sum = new Float64Array(depthSteps), count = new Float64Array(depthSteps);
  for (let i = 0; i < steals.count; ++i) {
    const b = Math.min(depthSteps - 1, Math.floor((steals.time_ns[i] * depthSteps) / Math.max(report.duration_ns, 1)));
    most[b] = Math.max(most[b] ?? 0, steals.depth[i]);
    sum[b] += steals.depth[i];
    ++count[b];
  }
  const points = (colour) => ({ show: true, size: 4, stroke: colour, fill: colour });
  return figure("depth-over-time", "Deque depth at steals over time", "Jobs in the victim's deque, the stolen one among them: the most and the mean of each moment.", {
    scales: { x: { time: false }, y: { range: (_, low, high) => [0, Math.max(1, high)] } }, axes: [x, axis("jobs", (_, ticks) => ticks.map((t) => number(t)))],
    series: [{ label: "time", value: atTime(size) },
      { label: "most", stroke: c.regions[1], width: 1, points: points(c.regions[1]), paths: () => null, value: under(greatest, number) },
      { label: "mean", stroke: c.regions[0], width: 1.5, points: { show: steals.count < 50 }, spanGaps: true, value: under(mean, number) }],
  }, [middles(depthSteps, report.duration_ns, size), most, most.map((m, b) => (m === null ? null : sum[b] / count[b]))], 200);
}

// Of values of which the report has count, mean, median, greatest and how many lie in each power of two.
function histogram(id, title, { count, mean, median, greatest, buckets }, unit, what) {
  if (count === 0) return null;
  const says = `${plural(count, what)}; mean ${unit(mean)}, median ${unit(median)}, greatest ${unit(greatest)}.`;
  if (count < fewest) return sentence(id, title, says);
  const c = colours();
  const first = Math.max(0, buckets.findIndex((n) => n > 0)), last = buckets.length;
  const xs = Array.from({ length: last - first }, (_, i) => first + i);
  return figure(id, title, says, {
    legend: { show: true },
    scales: { x: { time: false, range: [first - 0.7, last - 0.3] }, y: { range: (_, low, high) => [0, Math.max(1, high * 1.05)] } },
    axes: [axis("at most", (_, ticks) => ticks.map((b) => (Number.isInteger(b) && b >= 0 ? unit(2 ** b) : "")), { ...low, incrs: [1, 2, 3, 5, 10] }), axis(`${what}s`, (_, ticks) => ticks.map((t) => (Number.isInteger(t) ? number(t) : "")), { size: 58 })],
    series: [{ label: "at most", value: under(always("any"), (b) => unit(2 ** b)) },
      { label: `${what}s`, stroke: c.regions[0], fill: shade(c.regions[0], 0.75), width: 1, points: { show: false }, paths: uPlot.paths.bars({ size: [0.9, 60] }), value: under(total, number) }],
  }, [xs, buckets.slice(first)], 190);
}

function distances(places) {
  const steals = places.reduce((sum, n) => sum + n, 0);
  if (steals === 0) return null;
  if (steals < fewest)
    return sentence("steal-distance", "Steals by distance", `${places.flatMap((n, i) => (n > 0 ? [`${plural(n, "steal")} from a worker ${plural(i, "number")} away`] : [])).join(", ")}.`);
  const c = colours(), last = places.length - 1;
  const xs = Array.from(places, (_, i) => i);
  return figure("steal-distance", "Steals by distance", "How many numbers the victim's worker was away from the thief's.", {
    scales: { x: { time: false, range: [-0.7, last + 0.7] }, y: { range: (_, low, high) => [0, Math.max(1, high * 1.05)] } },
    axes: [axis("places", (_, ticks) => ticks.map((t) => (Number.isInteger(t) ? t : "")), { ...low, incrs: [1, 2, 5, 10, 20, 50] }), axis("steals", (_, ticks) => ticks.map((t) => (Number.isInteger(t) ? number(t) : "")), { size: 58 })],
    series: [{ label: "places", value: under(always("any"), String) }, { label: "steals", stroke: c.regions[2], fill: shade(c.regions[2], 0.75), width: 1, points: { show: false }, paths: uPlot.paths.bars({ size: [0.9, 60] }), value: under(total, number) }],
  }, [xs, places], 190);
}

// What this run reached: the profile's work by its duration. Only a run with profile and trace has both.
export function measuredSpeedup({ report, profile }) {
  return profile?.work > 0 && report.duration_ns > 0 ? (profile.work * 1e9) / report.duration_ns : NaN;
}

function speedup(run) {
  const p = run.profile, { workers } = run.report;
  if (!p || !Array.isArray(p.predictions) || p.predictions.length === 0) return null;
  const c = colours();
  const here = measuredSpeedup(run);
  const rows = p.predictions.slice(0, 1000).map(({ processors, least, most }) => ({ processors, least, most }));
  if (Number.isFinite(here) && workers > 0 && !rows.some((r) => r.processors === workers)) rows.push({ processors: workers, least: null, most: null });
  rows.sort((x, y) => x.processors - y.processors);
  const xs = rows.map((r) => r.processors), top = Math.max(2, 2 ** Math.ceil(Math.log2(1.6 * Math.max(p.parallelism, here || 1))));
  const line = (label, colour, dash, more = {}) => ({ label, stroke: colour, width: 1.7, dash, spanGaps: true, points: { show: false }, value: under(greatest, number), ...more });
  return figure("speedup", "Speed-up that the program allows", `T1 ${time(p.work * 1e9)}, Tinf ${time(p.span * 1e9)}, T1/Tinf ${number(p.parallelism)}` +
    (Number.isFinite(here) ? `; this run: T1 by its duration is ${number(here)} on ${plural(workers, "worker")}.` : "."), {
    scales: { x: { time: false, distr: 3, log: 2 }, y: { distr: 3, log: 2, range: [2 ** Math.floor(Math.log2(Math.max(1e-3, Math.min(1, ...rows.map((r) => r.least ?? 1))))), top] } },
    axes: [axis("processors P", (_, ticks) => ticks.map(number), { ...low, splits: powersOfTwo }), axis("speed-up T1/T", (_, ticks) => ticks.map(number), { splits: powersOfTwo })],
    bands: [{ series: [1, 2], fill: shade(c.regions[0], 0.18) }],
    series: [{ label: "P", value: under(always("any"), String) }, line("at most", c.regions[0]), line("at least, with the runtime's costs", c.regions[2], [6, 3]),
      line("P, as T1/P allows", c.quiet, [2, 3]), line("T1/Tinf", c.regions[1], [10, 4]),
      line("this run", c.regions[4], undefined, { paths: () => null, points: { show: true, size: 9, fill: c.regions[4], stroke: c.back } })],
  }, [xs, rows.map((r) => r.most), rows.map((r) => r.least), xs, xs.map(() => p.parallelism), xs.map((x) => (x === workers && Number.isFinite(here) ? here : null))], 260, true);
}

function counter({ report }, { name, all, values }, index) {
  const title = name || "a counter without a name";
  if (values.count < fewest)
    return sentence(`counter-${index}`, title, `${Array.from(values.value, (v, i) => `${number(v)} at ${time(values.time_ns[i])}`).join(", ")}.`);
  const c = colours(), { size, axis: x } = timeAxis(report.duration_ns);
  return figure(`counter-${index}`, title, plural(all, "value"), {
    scales: { x: { time: false } }, axes: [x, axis("", (_, ticks) => ticks.map((t) => number(t)), { size: 60 })],
    series: [{ label: "time", value: atTime(size) }, { label: "value", stroke: c.regions[index % 7], width: 1.5, points: { show: values.count < 100 }, paths: uPlot.paths.stepped({ align: 1 }), value: under(greatest, number) }],
  }, [Array.from(values.time_ns, (t) => t / size), Array.from(values.value, (v) => (Number.isFinite(v) ? v : null))], 180);
}

const mostCounters = 8;

export function charts(run) {
  const { report } = run;
  return [
    utilisation(run),
    speedup(run),
    depth(run),
    histogram("steal-depth", "Deque depth at steals", report.steal_depth, number, "steal"),
    histogram("steal-time", "Time to steal", report.steal_ns, time, "steal"),
    distances(report.steal_places),
    histogram("wake-time", "Time to wake a worker", report.wake_ns, time, "wake-up"),
    histogram("idle-spells", "Length of idle spells", report.idle_spell_ns, time, "spell"),
    histogram("stolen-jobs", "Length of stolen jobs that weren't suspended", report.stolen_job_ns, time, "job"),
    ...run.counters.slice(0, mostCounters).map((one, i) => counter(run, one, i)),
  ].filter((chart) => chart !== null);
}
