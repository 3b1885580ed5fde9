// The charts, drawn by uPlot (https://github.com/leeoniya/uPlot, MIT).
import uPlot from "uplot";
import { state } from "./model.js";
import { drawnCount, drawnStates } from "./measures.js";
import { colours } from "./colours.js";
import { h, number, percent, plural, time } from "./dom.js";

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
const middles = (measures, size) => Array.from({ length: drawnCount }, (_, b) => ((b + 0.5) * measures.drawnWidth) / size);

function utilisation(measures) {
  const c = colours(), { size, axis: x } = timeAxis(measures.duration);
  const order = [state.working, state.blocked, state.scheduling, state.idle, state.parked];
  const sums = new Float64Array(drawnCount), drawnRows = drawnStates(measures);
  const stacked = order.map((s) => Array.from(sums, (_, b) => (sums[b] += drawnRows[s][b])));
  const names = ["working", "blocked", "scheduling", "idle", "parked"];
  const fill = [c.states.working, c.states.blocked, c.states.scheduling, c.states.idle, c.states.parked];
  const drawn = names.map((name, i) => ({
    label: name, stroke: i === 0 ? c.states.working : shade(c.quiet, 0.5), fill: fill[i], width: i === 0 ? 1.5 : 0.5, points: { show: false },
    value: (u, v, _, at) => (v === null || at === null ? "-" : number(v - (i === 0 ? 0 : stacked[i - 1][at]))),
  })).reverse();  // the highest first, so that the lower ones are drawn over it
  return figure("utilisation", "Utilisation over time", `How many of ${plural(measures.workers, "worker")} did what; ${percent(measures.working)} worked on average.`, {
    scales: { x: { time: false }, y: { range: [0, Math.max(1, measures.workers)] } }, axes: [x, axis("workers", (_, ticks) => ticks.map((t) => number(t)))],
    series: [{ label: "time", value: (_, v) => (v === null ? "-" : time(v * size)) }, ...drawn],
  }, [middles(measures, size), ...stacked.reverse()], 230, true);
}

function depth(measures) {
  if (measures.stealDepth.count === 0) return null;
  const c = colours(), { size, axis: x } = timeAxis(measures.duration);
  const points = (colour) => ({ show: true, size: 4, stroke: colour, fill: colour });
  return figure("depth-over-time", "Deque depth at steals over time", "Jobs in the victim's deque, the stolen one among them: the most and the mean of each moment.", {
    scales: { x: { time: false }, y: { range: (_, low, high) => [0, Math.max(1, high)] } }, axes: [x, axis("jobs", (_, ticks) => ticks.map((t) => number(t)))],
    series: [{ label: "time", value: (_, v) => (v === null ? "-" : time(v * size)) },
      { label: "most", stroke: c.regions[1], width: 1, points: points(c.regions[1]), paths: () => null, value: (_, v) => number(v ?? NaN) },
      { label: "mean", stroke: c.regions[0], width: 1.5, points: { show: measures.stealDepth.count < 50 }, spanGaps: true, value: (_, v) => number(v ?? NaN) }],
  }, [middles(measures, size), measures.depth.most, measures.depth.mean], 200);
}

function histogram(id, title, measured, unit, what) {
  if (measured.count === 0) return null;
  const c = colours();
  const first = Math.max(0, measured.counts.findIndex((n) => n > 0));
  const last = measured.counts.length;
  const xs = Array.from({ length: last - first }, (_, i) => first + i);
  const says = `${plural(measured.count, what)}; mean ${unit(measured.mean)}, half at most ${unit(measured.quantile(0.5))}, 99 % at most ${unit(measured.quantile(0.99))}.`;
  return figure(id, title, says, {
    legend: { show: true },
    scales: { x: { time: false, range: [first - 0.7, last - 0.3] }, y: { range: (_, low, high) => [0, Math.max(1, high * 1.05)] } },
    axes: [axis("at most", (_, ticks) => ticks.map((b) => (Number.isInteger(b) && b >= 0 ? unit(2 ** b) : "")), { ...low, incrs: [1, 2, 3, 5, 10] }), axis(`${what}s`, (_, ticks) => ticks.map((t) => (Number.isInteger(t) ? number(t) : "")), { size: 58 })],
    series: [{ label: "at most", value: (_, b) => (b === null ? "-" : unit(2 ** b)) },
      { label: `${what}s`, stroke: c.regions[0], fill: shade(c.regions[0], 0.75), width: 1, points: { show: false }, paths: uPlot.paths.bars({ size: [0.9, 60] }), value: (_, v) => number(v ?? NaN) }],
  }, [xs, measured.counts.slice(first)], 190);
}

function distances(measures) {
  if (measures.stealDistance.size === 0) return null;
  const c = colours(), last = Math.max(...measures.stealDistance.keys());
  const xs = Array.from({ length: last + 1 }, (_, i) => i);
  return figure("steal-distance", "Steals by distance", "How many numbers the victim's worker was away from the thief's.", {
    scales: { x: { time: false, range: [-0.7, last + 0.7] }, y: { range: (_, low, high) => [0, Math.max(1, high * 1.05)] } },
    axes: [axis("places", (_, ticks) => ticks.map((t) => (Number.isInteger(t) ? t : "")), { ...low, incrs: [1, 2, 5, 10, 20, 50] }), axis("steals", (_, ticks) => ticks.map((t) => (Number.isInteger(t) ? number(t) : "")), { size: 58 })],
    series: [{ label: "places", value: (_, v) => v ?? "-" }, { label: "steals", stroke: c.regions[2], fill: shade(c.regions[2], 0.75), width: 1, points: { show: false }, paths: uPlot.paths.bars({ size: [0.9, 60] }), value: (_, v) => number(v ?? NaN) }],
  }, [xs, xs.map((x) => measures.stealDistance.get(x) ?? 0)], 190);
}

// What this run reached: the profile's work by its duration. Only a run with profile and trace has both.
export function measuredSpeedup(measures, profile) {
  return profile?.work > 0 && measures.duration > 0 ? (profile.work * 1e9) / measures.duration : NaN;
}

function speedup(measures, run) {
  const p = run.profile;
  if (!p || !Array.isArray(p.predictions) || p.predictions.length === 0) return null;
  const c = colours();
  const here = measuredSpeedup(measures, p);
  const rows = p.predictions.slice(0, 1000).map(({ processors, least, most }) => ({ processors, least, most }));
  if (Number.isFinite(here) && measures.workers > 0 && !rows.some((r) => r.processors === measures.workers)) rows.push({ processors: measures.workers, least: null, most: null });
  rows.sort((x, y) => x.processors - y.processors);
  const xs = rows.map((r) => r.processors), top = Math.max(2, 2 ** Math.ceil(Math.log2(1.6 * Math.max(p.parallelism, here || 1))));
  const line = (label, colour, dash, more = {}) => ({ label, stroke: colour, width: 1.7, dash, spanGaps: true, points: { show: false }, value: (_, v) => number(v ?? NaN), ...more });
  return figure("speedup", "Speed-up that the program allows", `T1 ${time(p.work * 1e9)}, Tinf ${time(p.span * 1e9)}, T1/Tinf ${number(p.parallelism)}` +
    (Number.isFinite(here) ? `; this run: T1 by its duration is ${number(here)} on ${plural(measures.workers, "worker")}.` : "."), {
    scales: { x: { time: false, distr: 3, log: 2 }, y: { distr: 3, log: 2, range: [2 ** Math.floor(Math.log2(Math.max(1e-3, Math.min(1, ...rows.map((r) => r.least ?? 1))))), top] } },
    axes: [axis("processors P", (_, ticks) => ticks.map(number), { ...low, splits: powersOfTwo }), axis("speed-up T1/T", (_, ticks) => ticks.map(number), { splits: powersOfTwo })],
    bands: [{ series: [1, 2], fill: shade(c.regions[0], 0.18) }],
    series: [{ label: "P", value: (_, v) => v ?? "-" }, line("at most", c.regions[0]), line("at least, with the runtime's costs", c.regions[2], [6, 3]),
      line("P, as T1/P allows", c.quiet, [2, 3]), line("T1/Tinf", c.regions[1], [10, 4]),
      line("this run", c.regions[4], undefined, { paths: () => null, points: { show: true, size: 9, fill: c.regions[4], stroke: c.back } })],
  }, [xs, rows.map((r) => r.most), rows.map((r) => r.least), xs, xs.map(() => p.parallelism), xs.map((x) => (x === measures.workers && Number.isFinite(here) ? here : null))], 260, true);
}

// At most 2000 points of a counter: the first of each stretch.
function counter(model, measures, name, index) {
  const e = model.run.events, all = model.counters.get(name), c = colours(), { size, axis: x } = timeAxis(measures.duration);
  const chosen = all.filter((_, i) => i % Math.ceil(all.length / 2000) === 0);
  return figure(`counter-${index}`, model.run.names[name] || "a counter without a name", plural(all.length, "value"), {
    scales: { x: { time: false } }, axes: [x, axis("", (_, ticks) => ticks.map((t) => number(t)), { size: 60 })],
    series: [{ label: "time", value: (_, v) => (v === null ? "-" : time(v * size)) }, { label: "value", stroke: c.regions[index % 7], width: 1.5, points: { show: all.length < 100 }, paths: uPlot.paths.stepped({ align: 1 }), value: (_, v) => number(v ?? NaN) }],
  }, [chosen.map((i) => e.time[i] / size), chosen.map((i) => (Number.isFinite(e.value[i]) ? e.value[i] : null))], 180);
}

const mostCounters = 8;

export function charts(model, measures) {
  const idleSpells = Object.assign(Object.create(Object.getPrototypeOf(measures.stealTime)), { counts: [], count: 0, sum: 0, greatest: 0 });
  for (const spell of measures.spells) {
    spell.counts.forEach((n, b) => { idleSpells.counts[b] = (idleSpells.counts[b] ?? 0) + n; });
    idleSpells.count += spell.count;
    idleSpells.sum += spell.sum;
    idleSpells.greatest = Math.max(idleSpells.greatest, spell.greatest);
  }
  for (let b = 0; b < idleSpells.counts.length; ++b) idleSpells.counts[b] ??= 0;
  return [
    measures.workers > 0 && measures.duration > 0 ? utilisation(measures) : null,
    speedup(measures, model.run),
    depth(measures),
    histogram("steal-depth", "Deque depth at steals", measures.stealDepth, number, "steal"),
    histogram("steal-time", "Time to steal", measures.stealTime, time, "steal"),
    distances(measures),
    histogram("wake-time", "Time to wake a worker", measures.wakeTime, time, "wake-up"),
    histogram("idle-spells", "Length of idle spells", idleSpells, time, "spell"),
    histogram("stolen-jobs", "Length of stolen jobs that weren't suspended", measures.stolenJobs, time, "job"),
    ...[...model.counters.keys()].slice(0, mostCounters).map((name, i) => counter(model, measures, name, i)),
  ].filter((chart) => chart !== null);
}
