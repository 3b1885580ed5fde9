// What each lane did when: from events to intervals. Events may be missing, since rings overflow, so each event is taken
// for what it says, and what it contradicts is dropped.
import { kind } from "./data.js";

export const state = { scheduling: 0, working: 1, idle: 2, parked: 3, blocked: 4, outside: 5 };
export const stateNames = ["scheduling", "working", "idle", "parked", "blocked", "outside of the pool"];
export const reasonNames = ["nothing to steal anywhere", "work was private", "serial phase", "blocked", "not known", "nothing was given to the pool"];
export const nothingReason = 0, serialReason = 2, blockedReason = 3, unknownReason = 4;
export const outsideReason = 5;  // no event says it: measures.js finds it
const longestTime = 2 ** 53;

// Begins and ends of intervals of one lane, in order, without overlaps. `detail` is the region of working time (and of
// time outside of the pool in a region), and the reason of idle and parked time. A worker has intervals from its first
// event until it leaves, another thread where it does something.
class Intervals {
  constructor() {
    this.length = 0;
    this.grow(8);
  }
  grow(capacity) {
    for (const [name, Type] of [["begin", Float64Array], ["end", Float64Array], ["state", Uint8Array], ["detail", Uint32Array]]) {
      const larger = new Type(capacity);
      if (this[name]) larger.set(this[name]);
      this[name] = larger;
    }
  }
  push(begin, end, what, detail) {
    if (this.length === this.begin.length) this.grow(2 * this.length);
    const i = this.length++;
    this.begin[i] = begin;
    this.end[i] = end;
    this.state[i] = what;
    this.detail[i] = detail;
  }
  // The first interval that ends after t.
  firstAfter(t) {
    let low = 0, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end[middle] <= t) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

class Lane {
  constructor(about) {
    this.intervals = new Intervals();
    this.since = 0;
    this.jobs = [];     // that run here, one in another: {begin, source, around: the regions outside}
    this.regions = [];  // that are open, the innermost last
    this.isWorker = about.is_worker;
    this.isHere = false;
    this.isIdle = false;
    this.isParked = false;
    this.blocking = 0;
    this.spell = -1;         // the first interval of an idle spell, or none
    this.spellBegin = 0;
  }
  now() {
    if (this.blocking > 0) return state.blocked;
    if (this.isParked) return state.parked;
    if (this.isIdle) return state.idle;
    if (this.jobs.length > 0 || (this.isWorker && this.regions.length > 0)) return state.working;
    return this.regions.length > 0 ? state.outside : state.scheduling;
  }
  // Closes what lasted until t.
  advance(t) {
    if (t <= this.since) return;
    const what = this.now();
    const detail = what === state.working || what === state.outside ? (this.regions.at(-1) ?? 0) : unknownReason;
    if (this.isHere && (this.isWorker || what !== state.scheduling)) this.intervals.push(this.since, t, what, detail);
    this.since = t;
  }
  awaken() {
    this.isIdle = this.isParked = false;
    this.spell = -1;
  }
}

function beginIdle(lane, t) {
  lane.awaken();
  lane.isIdle = true;
  lane.spell = lane.intervals.length;
  lane.spellBegin = t;
}

function endIdle(lane, t, reason, spells) {
  if (lane.spell >= 0) {
    const known = reason < unknownReason ? reason : unknownReason;
    const all = lane.intervals;
    for (let i = lane.spell; i < all.length; ++i)
      if (all.state[i] === state.idle || all.state[i] === state.parked) all.detail[i] = known;
    spells[known].push(t - lane.spellBegin);
  }
  lane.awaken();
}

function endRegion(lane, name) {
  const at = lane.regions.lastIndexOf(name);
  if (at >= 0) lane.regions.length = at;  // those further inside have lost their ends
}

function endJob(lane, t, jobs) {
  const job = lane.jobs.pop();
  if (job && job.begin >= 0) jobs[job.source === 0 ? "stolen" : "other"].push(t - job.begin);
  lane.regions = job ? job.around : [];
}

// A fiber's jobs and regions leave the lane with it, and come back on the lane where it goes on. The length of a job
// that was suspended is not known.
function suspend(lane, fiber, waiting) {
  for (const job of lane.jobs) job.begin = -1;
  waiting.set(fiber, { jobs: lane.jobs, regions: lane.regions });
  lane.jobs = [];
  lane.regions = [];
}

// A job whose end lets a fiber go on here has no end of its own.
function resume(lane, t, fiber, region, { waiting, jobs }) {
  if (lane.jobs.length > 0) endJob(lane, t, jobs);
  const found = waiting.get(fiber);
  waiting.delete(fiber);
  lane.jobs = found && found.jobs.length > 0 ? found.jobs : [{ begin: -1, source: 2, around: [] }];
  lane.regions = found ? found.regions : region > 0 ? [region] : [];
}

function apply(lane, run, i, t, result) {
  const e = run.events;
  switch (e.kind[i]) {
    case kind.jobBegin:
      lane.awaken();
      lane.jobs.push({ begin: t, source: e.a[i], around: lane.regions });
      lane.regions = e.name[i] > 0 ? [e.name[i]] : [];
      break;
    case kind.jobEnd: endJob(lane, t, result.jobs); break;
    case kind.suspend: suspend(lane, e.a[i], result.waiting); break;
    case kind.resume:
      lane.awaken();
      resume(lane, t, e.a[i], e.name[i], result);
      break;
    case kind.idleBegin: beginIdle(lane, t); break;
    case kind.idleEnd: endIdle(lane, t, e.a[i], result.spells); break;
    case kind.park: lane.isParked = true; break;
    case kind.wake: lane.isParked = false; break;
    case kind.blockBegin: ++lane.blocking; break;
    case kind.blockEnd: lane.blocking = Math.max(0, lane.blocking - 1); break;
    case kind.regionBegin:
      lane.awaken();
      lane.regions.push(e.name[i]);
      break;
    case kind.regionEnd: endRegion(lane, e.name[i]); break;
    case kind.leave:
      lane.awaken();
      lane.jobs = [];
      lane.regions = [];
      break;
  }
}

// The kinds of events that change what a lane does.
const changes = new Uint8Array(256);
for (const [name, k] of Object.entries(kind)) changes[k] = ["expose", "steal", "counter"].includes(name) ? 0 : 1;

export function derive(run) {
  const e = run.events;
  const lanes = run.lanes.map((about) => new Lane(about));
  const result = {
    run, refused: 0, counts: new Array(16).fill(0), duration: Number.isFinite(run.duration_ns) ? Math.max(0, run.duration_ns) : 0,
    waiting: new Map(), spells: reasonNames.map(() => []), jobs: { stolen: [], other: [] }, steals: [], wakes: [], counters: new Map(),
  };
  for (let i = 0; i < e.count; ++i) {
    const t = e.time[i], k = e.kind[i];
    const lane = lanes[e.lane[i]];
    if (!lane || k > kind.leave || e.name[i] >= run.names.length || !(t >= 0 && t < longestTime)) {
      ++result.refused;
      continue;
    }
    ++result.counts[k];
    if (t > result.duration) result.duration = t;
    if (changes[k]) {
      lane.advance(t);
      apply(lane, run, i, Math.max(t, lane.since), result);
      lane.isHere = k !== kind.leave;
    } else if (k === kind.steal) {
      result.steals.push(i);
    } else if (k === kind.counter) {
      if (!result.counters.has(e.name[i])) result.counters.set(e.name[i], []);
      result.counters.get(e.name[i]).push(i);
    }
    if (k === kind.wake) result.wakes.push(i);
  }
  for (const lane of lanes) lane.advance(result.duration);
  result.lanes = lanes.map((lane) => lane.intervals);
  return result;
}
