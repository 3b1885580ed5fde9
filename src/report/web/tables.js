// The figures as tables: what the pictures show, for those who read or print them.
import { kindNames } from "./data.js";
import { state, stateNames, reasonNames } from "./model.js";
import { regionName } from "./colours.js";
import { h, number, percent, table, time } from "./dom.js";

const mostRows = 300;
const share = (part, whole) => (whole > 0 ? percent(part / whole) : "-");

export function workers(model, measures) {
  const order = [state.working, state.idle, state.parked, state.blocked, state.scheduling, ...(measures.lanes.some((lane) => lane.states[state.outside] > 0) ? [state.outside] : [])];
  const row = (name, states, whole) => [name, ...order.flatMap((s) => [time(states[s]), share(states[s], whole)])];
  const rows = measures.lanes.slice(0, mostRows).map((lane) => row(lane.name + (lane.isWorker ? "" : " (no worker)"), lane.states, lane.isWorker ? lane.states.reduce((s, x) => s + x, 0) : measures.duration));
  const { hasCallers } = measures;
  if (measures.workers > 1 || hasCallers) rows.push(row("the pool's workers", measures.states, measures.workerTime));
  const more = hasCallers ? h("p", { class: "hint" }, "A thread outside the pool that works there takes the place of a worker that sleeps: in the last row its work counts, " +
    "and as much of the sleep doesn't.") : null;
  return h("div", {}, table("Time by worker", [{ title: "worker" }, ...order.flatMap((s) => [{ title: stateNames[s], number: true }, { title: "share", number: true }])], rows, { id: "workers" }), more);
}

export function reasons(measures) {
  const rows = reasonNames.map((name, i) => [name, time(measures.reasons[i]), share(measures.reasons[i], measures.idleTime), number(measures.spells[i].count),
    time(measures.spells[i].mean), time(measures.spells[i].quantile(0.5)), measures.spells[i].count > 0 ? time(measures.spells[i].greatest) : "-"]);
  return table("Idle and parked time by reason, and the spells that ended with it", [{ title: "reason" }, ...["time", "share", "spells", "mean", "half at most", "longest"].map((title) => ({ title, number: true }))], rows, { id: "reasons" });
}

export function regions(model, measures, order) {
  const total = [...measures.regions.values()].reduce((s, x) => s + x, 0);
  const profile = model.run.profile?.regions;
  const columns = [{ title: "region" }, { title: "work in this run", number: true }, { title: "share", number: true }];
  if (profile) columns.push(...["T1", "Tinf", "T1/Tinf", "on the critical path"].map((title) => ({ title, number: true })));
  const rows = order.slice(0, mostRows).map((region) => {
    const row = [regionName(model.run, region), time(measures.regions.get(region)), share(measures.regions.get(region), total)];
    if (profile) {
      const name = region === 0 ? "" : model.run.names[region];
      const p = profile.find((r) => r.name === name) ?? profile.find((r) => name && r.name?.endsWith(`/${name}`)) ?? (region === 0 ? profile[0] : undefined);
      row.push(...(p ? [time(p.work * 1e9), time(p.span * 1e9), number(p.work / p.span), share(p.on_path, model.run.profile.span)] : ["-", "-", "-", "-"]));
    }
    return row;
  });
  return table("Regions", columns, rows, { id: "regions" });
}

export function events(model) {
  const rows = model.counts.flatMap((n, kind) => (n > 0 ? [[kindNames[kind], number(n)]] : []));
  return table("Events of the recording", [{ title: "event" }, { title: "count", number: true }], rows, { id: "events" });
}

export function predictions(profile) {
  if (!Array.isArray(profile?.predictions)) return null;
  return table("Speed-up that the program allows", ["processors", "at least", "at most"].map((title) => ({ title, number: true })),
    profile.predictions.slice(0, 1000).map((p) => [number(p.processors), number(p.least), number(p.most)]), { id: "predictions" });
}

const isScalar = (x) => ["number", "string", "boolean"].includes(typeof x);
const shown = (x) => (typeof x === "number" ? number(x) : String(x));
const spoken = (key) => key.replaceAll("_", " ");

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

export function machine(run) {
  const rows = [["program", run.program || "-"], ["machine", run.machine || "-"], ["processors", number(run.processors)], ["heist", run.version || "-"], ["clock", run.clock || "-"],
    ["lanes", number(run.lanes.length)], ["events", number(run.events.count)]];
  return table("The machine and the recording", [{ title: "what" }, { title: "value" }], rows, { id: "machine" });
}
