// What the page derives from events, without a browser: node --test model_test.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, kind, noLane } from "../../src/report/web/data.js";
import { derive, state } from "../../src/report/web/model.js";
import { Histogram, measure } from "../../src/report/web/measures.js";
import { findings } from "../../src/report/web/findings.js";

const { scheduling, working, idle, parked, blocked, outside } = state;
const widths = { time: 8, lane: 2, kind: 1, name: 4, a: 4, b: 4, value: 8 };

function column(events, field) {
  const bytes = Buffer.alloc(events.length * widths[field]);
  events.forEach((e, i) => {
    const at = i * widths[field], value = e[field] ?? 0;
    if (field === "time" || field === "value") bytes.writeDoubleLE(value, at);
    else bytes.writeUIntLE(value, at, widths[field]);
  });
  return bytes.toString("base64");
}

// A run as the page holds it. Events are [time, lane, kind, {name, a, b, value}].
function run(events, { workers = 2, duration = 100, lost = 0, profile = null, names = ["", "parse", "render"] } = {}) {
  const all = events.map(([time, lane, kind, more = {}]) => ({ time, lane, kind, ...more }));
  const lanes = Array.from({ length: workers }, (_, worker) => ({ name: `w${worker}`, pool: 0, worker, is_worker: true, lost_events: lost }));
  return decode(JSON.stringify({
    program: "", machine: "", version: "", processors: workers, duration_ns: duration, clock: "", lanes, names, statistics: null, profile,
    events: { count: all.length, time_ns: column(all, "time"), lane: column(all, "lane"), kind: column(all, "kind"), name: column(all, "name"),
      a: column(all, "a"), b: column(all, "b"), value: column(all, "value") },
  }));
}

function intervals(model, lane) {
  const all = model.lanes[lane];
  return Array.from({ length: all.length }, (_, i) => [all.begin[i], all.end[i], all.state[i], all.detail[i]]);
}

test("columns are decoded, and one of the wrong length is refused", () => {
  const { events } = run([[1.5, 1, kind.steal, { name: 2, a: noLane, b: 7, value: -0.25 }]]);
  assert.deepEqual([events.time[0], events.lane[0], events.kind[0], events.name[0], events.a[0], events.b[0], events.value[0]], [1.5, 1, kind.steal, 2, noLane, 7, -0.25]);
  assert.throws(() => decode('{"events":{"count":2,"time_ns":"AAAA"}}'), /the column time_ns has 3 bytes for 2 events/);
});

test("jobs and regions nest", () => {
  const model = derive(run([[10, 0, kind.jobBegin, { a: 1 }], [20, 0, kind.regionBegin, { name: 1 }], [30, 0, kind.jobBegin, { name: 2 }], [40, 0, kind.regionBegin, { name: 1 }],
    [50, 0, kind.regionEnd, { name: 1 }], [60, 0, kind.jobEnd], [70, 0, kind.regionEnd, { name: 1 }], [80, 0, kind.jobEnd]]));
  assert.deepEqual(intervals(model, 0), [[10, 20, working, 0], [20, 30, working, 1], [30, 40, working, 2], [40, 50, working, 1], [50, 60, working, 2],
    [60, 70, working, 1], [70, 80, working, 0], [80, 100, scheduling, 4]]);
  assert.deepEqual(model.jobs, { stolen: [30], other: [70] });
});

test("an idle spell has its reason, its sleep too", () => {
  const model = derive(run([[0, 0, kind.idleBegin], [10, 0, kind.park], [40, 0, kind.wake, { a: 1, value: 5 }], [50, 0, kind.idleEnd, { a: 2 }], [50, 0, kind.jobBegin]]));
  assert.deepEqual(intervals(model, 0), [[0, 10, idle, 2], [10, 40, parked, 2], [40, 50, idle, 2], [50, 100, working, 0]]);
  assert.deepEqual(model.spells.map((s) => s.length), [0, 0, 1, 0, 0, 0]);
  assert.equal(measure(model).wakeTime.mean, 5);
});

test("a suspended fiber goes on elsewhere, with its regions", () => {
  const model = derive(run([[0, 0, kind.jobBegin], [5, 0, kind.regionBegin, { name: 1 }], [10, 0, kind.suspend, { a: 9 }], [20, 0, kind.idleBegin],
    [30, 1, kind.resume, { a: 9, b: 0 }], [40, 1, kind.regionEnd, { name: 1 }], [50, 1, kind.jobEnd], [60, 0, kind.idleEnd, { a: 3 }]]));
  assert.deepEqual(intervals(model, 0).slice(2), [[10, 20, scheduling, 4], [20, 60, idle, 3], [60, 100, scheduling, 4]]);
  assert.deepEqual(intervals(model, 1), [[30, 40, working, 1], [40, 50, working, 0], [50, 100, scheduling, 4]]);
  assert.deepEqual(model.jobs.stolen, []);  // how long it worked is not known
});

test("blocking calls hide what is below them", () => {
  const model = derive(run([[0, 0, kind.jobBegin], [10, 0, kind.blockBegin], [30, 0, kind.blockEnd], [40, 0, kind.jobEnd]]));
  assert.deepEqual(intervals(model, 0).map((i) => i[2]), [working, blocked, working, scheduling]);
});

test("events without their partners do no harm", () => {
  const model = derive(run([[10, 0, kind.jobEnd], [15, 0, kind.regionEnd, { name: 1 }], [20, 0, kind.wake, { a: noLane }], [25, 0, kind.idleEnd, { a: 77 }],
    [30, 0, kind.blockEnd], [40, 0, kind.resume, { a: 3, name: 2 }], [50, 0, kind.idleBegin], [60, 0, kind.idleBegin], [70, 0, kind.jobBegin]], { lost: 5 }));
  assert.equal(model.lanes[0].end[model.lanes[0].length - 1], 100);
  assert.deepEqual(intervals(model, 0).filter((i) => i[2] === working), [[40, 50, working, 2], [70, 100, working, 0]]);
});

test("events of nothing that there is are left out and counted", () => {
  const model = derive(run([[0, 7, kind.jobBegin], [0, 0, 99], [0, 0, kind.counter, { name: 50 }], [NaN, 0, kind.steal], [-1, 0, kind.steal], [1e300, 0, kind.steal], [1, 0, kind.steal, { a: noLane }]]));
  assert.equal(model.refused, 6);
  assert.equal(measure(model).stealDistance.size, 0);
});

test("time that runs backwards makes no negative interval", () => {
  const model = derive(run([[50, 0, kind.jobBegin], [20, 0, kind.jobEnd], [10, 0, kind.jobBegin], [60, 0, kind.jobEnd]]));
  for (const [begin, end] of intervals(model, 0)) assert.ok(begin < end);
});

test("an empty recording has no figures and no findings", () => {
  for (const workers of [0, 2]) {
    const empty = run([], { workers, duration: 0 });
    assert.deepEqual(findings(measure(derive(empty)), empty), []);
  }
});

test("all time of all workers is accounted for", () => {
  const sums = measure(derive(run([[3, 0, kind.jobBegin], [33, 0, kind.jobEnd], [34, 0, kind.idleBegin], [7, 1, kind.jobBegin], [80, 1, kind.suspend]].sort((x, y) => x[0] - y[0]))));
  assert.equal(sums.states.reduce((s, x) => s + x), 97 + 93);  // each from its first event on
  const over = sums.overTime.reduce((s, row) => s + row.reduce((x, y) => x + y), 0);
  assert.ok(Math.abs(over - 190) < 1e-6);
});

test("the region that ran during a serial phase is named, with its share of the critical path", () => {
  const profile = { work: 1e-7, span: 8e-8, parallelism: 1.25, burdened_parallelism: 1.2, regions: [{ name: "parse", on_path: 4.88e-8 }], predictions: [] };
  const found = run([[0, 0, kind.jobBegin], [0, 0, kind.regionBegin, { name: 1 }], [0, 1, kind.idleBegin], [73, 1, kind.idleEnd, { a: 2 }], [73, 1, kind.idleBegin], [100, 1, kind.idleEnd, { a: 1 }]], { profile });
  const all = findings(measure(derive(found)), found);
  const serial = all.find((f) => f.key === "serial_phase");
  assert.equal(serial.share, 0.73);
  assert.equal(serial.text, "73 % of idle time: nothing to steal while “parse” ran on one worker");
  assert.match(serial.remedy, /Split “parse”.* 61 % of the critical path/);
  assert.equal(all.find((f) => f.key === "work_is_private").share, 0.27);
  assert.ok(all.some((f) => f.key === "parallelism"));
});

test("a caller that works in a sleeping worker's place makes the pool no idler", () => {
  const both = run([[0, 1, kind.idleBegin], [1, 1, kind.park], [0, 2, kind.jobBegin], [60, 2, kind.jobEnd], [0, 0, kind.jobBegin], [100, 0, kind.jobEnd]].sort((x, y) => x[0] - y[0]), { workers: 3 });
  both.lanes[2].is_worker = false;
  const m = measure(derive(both));
  assert.equal(m.workers, 2);
  assert.ok(Math.abs(m.states[working] - 160) < 1e-6, m.states);
  assert.ok(Math.abs(m.idleTime - 40) < 1e-6, m.states);
  assert.deepEqual(m.reasons.map(Math.round), [0, 0, 40, 0, 0, 0]);
});

test("a worker is there from its first event until it leaves", () => {
  const model = derive(run([[10, 0, kind.idleBegin], [20, 0, kind.park], [60, 0, kind.leave]]));
  assert.deepEqual(intervals(model, 0), [[10, 20, idle, 4], [20, 60, parked, 4]]);
  assert.deepEqual(intervals(model, 1), []);
  assert.equal(measure(model).workerTime, 50);
});

test("idle time in which nothing was given to the pool has that reason, and names what ran outside", () => {
  const apart = run([[0, 0, kind.idleBegin], [0, 0, kind.park], [0, 1, kind.regionBegin, { name: 2 }], [80, 1, kind.regionEnd, { name: 2 }], [80, 0, kind.wake], [80, 0, kind.idleEnd, { a: 2 }],
    [80, 0, kind.jobBegin]]);
  apart.lanes[1].is_worker = false;
  const model = derive(apart), m = measure(model);
  assert.deepEqual(intervals(model, 1), [[0, 80, outside, 2]]);
  assert.deepEqual(m.reasons.map(Math.round), [0, 0, 0, 0, 0, 80]);
  assert.equal(findings(m, apart)[0].text, "100 % of idle time: nothing was given to the pool while “render” ran outside of it");
});

test("a spell's reason is that of each moment", () => {
  // Worker 2 is idle for 100; nobody works for 20, then one, then two for 40 each.
  const spell = (a) => derive(run([[0, 2, kind.idleBegin], [0, 0, kind.idleBegin], [0, 1, kind.idleBegin], [20, 0, kind.idleEnd, { a }], [20, 0, kind.jobBegin], [60, 1, kind.idleEnd, { a }],
    [60, 1, kind.jobBegin], [100, 2, kind.idleEnd, { a }]], { workers: 3 }));
  const reasons = (a) => measure(spell(a)).reasons.map(Math.round);
  assert.deepEqual(reasons(2), [40, 0, 80, 0, 0, 60]);  // in the serial phase two are idle
  assert.deepEqual(reasons(0), [40, 0, 80, 0, 0, 60]);
  assert.deepEqual(reasons(1), [0, 120, 0, 0, 0, 60]);
  assert.deepEqual(reasons(3), [0, 0, 0, 180, 0, 0]);
});

test("a job whose end resumes a fiber ends there", () => {
  const model = derive(run([[0, 0, kind.jobBegin, { a: 1 }], [10, 0, kind.suspend, { a: 1 }], [20, 0, kind.jobBegin], [45, 0, kind.resume, { a: 1 }], [60, 0, kind.jobEnd]]));
  assert.deepEqual(model.jobs, { stolen: [25], other: [] });
  assert.deepEqual(intervals(model, 0).at(-1), [60, 100, scheduling, 4]);
});

test("numbers out of all proportion cost no memory", () => {
  const names = Array.from({ length: 5001 }, (_, i) => `r${i}`);
  const events = names.flatMap((_, i) => [[i, 0, kind.regionBegin, { name: i }], [i + 1, 0, kind.regionEnd, { name: i }]]);
  const odd = run([[0, 1, kind.idleBegin], ...events, [5001, 0, kind.steal, { a: 1 }], [5001, 1, kind.idleEnd, { a: 2 }]], { names, duration: 5001 });
  odd.lanes[1].worker = 0xffffffff;
  const m = measure(derive(odd));
  assert.equal(m.regions.size, 5001);
  assert.ok(m.serialByRegion.size <= 64);
  assert.deepEqual([...m.stealDistance], [[1024, 1]]);
});

test("histograms have the buckets of log2_histogram", () => {
  const h = new Histogram();
  for (const value of [0, 1, 2, 3, 4, 5, 8, 9]) h.add(value);
  h.add(-1);
  h.add(NaN);
  assert.deepEqual(h.counts, [2, 1, 2, 2, 1]);
  assert.equal(h.quantile(0.5), 4);
  assert.equal(h.mean, 4);
});
