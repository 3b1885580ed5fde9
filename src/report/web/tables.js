// The figures as tables: what the pictures show, for those who read or print them.
import { regionName } from "./colours.js";
import { h, number, share, table, time } from "./dom.js";

const mostRows = 300;
const states = ["working", "idle", "parked", "blocked"];
const spoken = (key) => key.replaceAll("_", " ");
const numbers = (...titles) => titles.map((title) => ({ title, number: true }));

export function workers({ report, use }) {
  const row = (name, ns, whole, used) => [name, ...ns.flatMap((x) => [time(x), share(x, whole)]), ...used.map((x) => (report.knows_usage ? time(x) : "-"))];
  const rows = report.lanes.slice(0, mostRows).map((lane) => row(lane.name + (lane.is_worker ? "" : " (no worker)"), states.map((s) => lane[`${s}_ns`]), report.duration_ns,
    [lane.processor_ns, lane.ready_ns]));
  const hasCallers = report.lanes.some((lane) => !lane.is_worker && lane.working_ns > 0);
  if (report.workers > 1 || hasCallers)
    rows.push(row("the pool's workers", states.map((_, k) => (use.reduce((sum, step) => sum + step[k], 0) * report.duration_ns) / use.length), report.capacity_ns,
      ["processor_ns", "ready_ns"].map((key) => report.lanes.reduce((sum, lane) => sum + (lane.is_worker ? lane[key] : 0), 0))));
  const more = hasCallers ? h("p", { class: "hint" }, "A thread outside the pool that works there takes the place of a worker that sleeps: in the last row its work counts, " +
    "and as much of the sleep doesn't.") : null;
  return h("div", {}, table("Time by worker", [{ title: "worker" }, ...states.flatMap((s) => numbers(s, "share")), ...numbers("on a processor", "waiting for one")], rows, { id: "workers" }), more);
}

export function causes({ report, causes: all }) {
  const idle = all.reduce((sum, [key]) => sum + report.idle[key], 0);
  return table("Idle time of the workers, by cause", [{ title: "cause" }, ...numbers("time", "share")],
    all.map(([key, words]) => [words, time(report.idle[key]), share(report.idle[key], idle)]), { id: "causes" });
}

export function regions({ report, profile }) {
  const total = report.regions.reduce((sum, r) => sum + r.work_ns, 0), profiled = profile?.regions;
  const columns = [{ title: "region" }, ...numbers("work in this run", "share", "span", "alone", "entered")];
  if (profiled) columns.push(...numbers("T1", "Tinf", "T1/Tinf", "on the critical path"));
  const rows = report.regions.slice(0, mostRows).map(({ name, work_ns, span_ns, alone_ns, entered }) => {
    const row = [regionName(name), time(work_ns), share(work_ns, total), time(span_ns), time(alone_ns), number(entered)];
    if (profiled) {
      const p = profiled.find((r) => r.name === name) ?? profiled.find((r) => name && r.name?.endsWith(`/${name}`)) ?? (name ? undefined : profiled[0]);
      row.push(...(p ? [time(p.work * 1e9), time(p.span * 1e9), number(p.work / p.span), share(p.on_path, profile.span)] : ["-", "-", "-", "-"]));
    }
    return row;
  });
  return table("Regions", columns, rows, { id: "regions" });
}

export function waits({ report }) {
  if (report.waits.length === 0) return null;
  return table("What suspended functions waited for", [{ title: "for" }, { title: "at" }, { title: "in region" }, ...numbers("times", "together", "at most")],
    report.waits.slice(0, mostRows).map((w) => [w.for, w.name || (w.object === 0 ? "-" : `0x${w.object.toString(16)}`), regionName(w.region), number(w.count), time(w.sum_ns), time(w.greatest_ns)]), { id: "waits" });
}

export function events({ report }) {
  const rows = Object.entries(report.events_by_kind).flatMap(([kind, n]) => (n > 0 ? [[spoken(kind), number(n)]] : []));
  return table("Events of the recording", [{ title: "event" }, { title: "count", number: true }], rows, { id: "events" });
}

export function predictions(profile) {
  if (!Array.isArray(profile?.predictions)) return null;
  return table("Speed-up that the program allows", ["processors", "at least", "at most"].map((title) => ({ title, number: true })),
    profile.predictions.slice(0, 1000).map((p) => [number(p.processors), number(p.least), number(p.most)]), { id: "predictions" });
}

const isScalar = (x) => ["number", "string", "boolean"].includes(typeof x);
const shown = (x) => (typeof x === "number" ? number(x) : String(x));

function pool(statistics, index) {
  const parts = [];
  const scalars = Object.entries(statistics).filter(([key, x]) => isScalar(x) && key !== "pool");
  const count = Array.isArray(statistics.workers) ? statistics.workers.length : 0;
  if (typeof statistics.stacks_peak === "number" && count > 0) scalars.push(["most stacks in use for each worker", statistics.stacks_peak / count]);
  if (scalars.length > 0) parts.push(table("The pool", [{ title: "figure" }, { title: "value", number: true }], scalars.map(([key, x]) => [spoken(key), shown(x)]), { "data-pool": index }));
  const total = statistics.total && typeof statistics.total === "object" ? statistics.total : {};
  const each = Array.isArray(statistics.workers) ? statistics.workers.slice(0, 64) : [];
  const keys = Object.keys(total).filter((key) => isScalar(total[key]) && (total[key] !== 0 || each.some((w) => w?.[key])));
  if (keys.length > 0) {
    parts.push(table("Counters that aren't 0", [{ title: "counter" }, { title: "all", number: true }, ...each.map((_, w) => ({ title: String(w), number: true }))],
      keys.map((key) => [spoken(key), shown(total[key]), ...each.map((w) => (isScalar(w?.[key]) ? shown(w[key]) : "-"))]), { "data-counters": index }));
  }
  return h("section", {}, h("h3", {}, `Pool ${statistics.pool || index}`), parts);
}

export function statistics(run) {
  if (run.statistics === null || typeof run.statistics !== "object") return [];
  const pools = Array.isArray(run.statistics) ? run.statistics : [run.statistics];
  return pools.filter((p) => p && typeof p === "object").map(pool);
}

export function machine({ report }) {
  const rows = [["program", report.program || "-"], ["machine", report.machine || "-"], ["processors", number(report.processors)], ["heist", report.version || "-"],
    ["clock", report.clock || "-"], ["lanes", number(report.lanes.length)], ["events", number(report.events)]];
  return table("The machine and the recording", [{ title: "what" }, { title: "value" }], rows, { id: "machine" });
}
