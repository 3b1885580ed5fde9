// Sums over a run: how long who did what, in all and over time.
import { state, stateNames, reasonNames, nothingReason, serialReason, blockedReason, unknownReason, outsideReason } from "./model.js";

export const bucketCount = 4000;
const mostBlamed = 64;  // regions that are looked at for what ran while others were idle
const farthest = 1024;  // places between a thief and its victim
export const drawnCount = 500;  // of charts

export class Histogram {
  constructor() {
    this.counts = [];
    this.count = 0;
    this.sum = 0;
    this.greatest = 0;
  }
  // The buckets are 0 to 1, 2, 3 to 4, 5 to 8, and so on, as in heist/log2_histogram.hpp.
  add(value) {
    if (!(value >= 0)) return;
    const bucket = value <= 1 ? 0 : Math.min(63, Math.ceil(Math.log2(value)));
    while (this.counts.length <= bucket) this.counts.push(0);
    ++this.counts[bucket];
    ++this.count;
    this.sum += value;
    this.greatest = Math.max(this.greatest, value);
  }
  get mean() { return this.count === 0 ? NaN : this.sum / this.count; }
  // At most twice the least value that `share` of the values don't exceed.
  quantile(share) {
    let seen = 0;
    for (let b = 0; b < this.counts.length; ++b) {
      seen += this.counts[b];
      if (seen > 0 && seen >= share * this.count) return Math.min(2 ** b, this.greatest);
    }
    return NaN;
  }
}

const histogramOf = (values) => {
  const result = new Histogram();
  for (const v of values) result.add(v);
  return result;
};

function addOver(buckets, width, begin, end) {
  const last = Math.min(buckets.length - 1, Math.floor(end / width));
  for (let b = Math.min(buckets.length - 1, Math.floor(begin / width)); b <= last; ++b)
    buckets[b] += Math.max(0, Math.min(end, (b + 1) * width) - Math.max(begin, b * width));
}

// A thread outside a pool that works there takes the place of one of its workers, which sleeps meanwhile: that one's sleep
// is no idle time of the pool. So the work of such threads counts, and as much idle time of workers at that moment doesn't.
function seatCallers(result) {
  for (let b = 0; b < bucketCount; ++b) {
    const idle = result.overTime[state.parked][b] + result.overTime[state.idle][b];
    const taken = Math.min(result.outside[b], idle);
    if (taken <= 0) continue;
    const left = 1 - taken / idle;
    result.overTime[state.working][b] += taken;
    for (const row of [result.overTime[state.parked], result.overTime[state.idle], ...result.idleByReason]) row[b] *= left;
  }
}

const total = (row) => row.reduce((s, x) => s + x, 0);

// A spell's end says what the worker saw then, not what was so all the time. Who worked meanwhile says the rest: while nobody
// did, and nothing that had begun in the pool waited either, nothing had been given to it; while one did, the phase was serial,
// unless that one had work that it hadn't made public; while several did, it wasn't.
function correctReasons(result) {
  const move = (b, from, to) => {
    result.idleByReason[to][b] += result.idleByReason[from][b];
    result.idleByReason[from][b] = 0;
  };
  for (let b = 0; b < bucketCount; ++b) {
    const busy = result.overTime[state.working][b] / result.width;
    if (busy === 0) {
      for (let reason = 0; reason < outsideReason; ++reason) if (reason !== blockedReason) move(b, reason, outsideReason);
    } else if (busy < 1.1) {
      move(b, nothingReason, serialReason);
      move(b, unknownReason, serialReason);
    } else if (busy > 1.5) {
      move(b, serialReason, nothingReason);
    }
  }
}

const worked = (what) => what === state.working || what === state.outside;

// The times of lanes, and those of the pool's workers over time.
function times(model, result) {
  const { run } = model;
  model.lanes.forEach((intervals, l) => {
    const lane = { name: run.lanes[l].name, isWorker: run.lanes[l].is_worker, states: stateNames.map(() => 0), reasons: reasonNames.map(() => 0) };
    for (let i = 0; i < intervals.length; ++i) {
      const length = intervals.end[i] - intervals.begin[i];
      const what = intervals.state[i];
      lane.states[what] += length;
      if (what === state.idle || what === state.parked) lane.reasons[intervals.detail[i]] += length;
      if (worked(what)) result.regions.set(intervals.detail[i], (result.regions.get(intervals.detail[i]) ?? 0) + length);
      if (lane.isWorker) addOver(result.overTime[what], result.width, intervals.begin[i], intervals.end[i]);
      else if (what === state.working) addOver(result.outside, result.width, intervals.begin[i], intervals.end[i]);
      if (lane.isWorker && (what === state.idle || what === state.parked))
        addOver(result.idleByReason[intervals.detail[i]], result.width, intervals.begin[i], intervals.end[i]);
    }
    result.lanes.push(lane);
  });
}

// Idle time by the region that ran meanwhile, as near as the buckets allow: that of serial phases, and that in which nothing
// was given to the pool.
function blameRegions(model, result) {
  if (result.reasons[serialReason] + result.reasons[outsideReason] === 0) return;
  const longest = [...result.regions].sort((x, y) => y[1] - x[1]).slice(0, mostBlamed);
  const byRegion = new Map(longest.map(([region]) => [region, new Float64Array(bucketCount)])), all = new Float64Array(bucketCount);
  for (const intervals of model.lanes) {
    for (let i = 0; i < intervals.length; ++i) {
      if (!worked(intervals.state[i])) continue;
      const row = byRegion.get(intervals.detail[i]);
      if (row) addOver(row, result.width, intervals.begin[i], intervals.end[i]);
      addOver(all, result.width, intervals.begin[i], intervals.end[i]);
    }
  }
  for (const [region, work] of byRegion) {
    for (const [reason, sums] of [[serialReason, result.serialByRegion], [outsideReason, result.outsideByRegion]]) {
      let sum = 0;
      for (let b = 0; b < bucketCount; ++b) if (all[b] > 0) sum += (result.idleByReason[reason][b] * work[b]) / all[b];
      sums.set(region, sum);
    }
  }
}

function histograms(model, result) {
  const e = model.run.events, about = model.run.lanes;
  result.stealTime = new Histogram();
  result.stealDepth = new Histogram();
  result.wakeTime = new Histogram();
  result.stealDistance = new Map();
  for (const i of model.steals) {
    if (e.value[i] > 0) result.stealTime.add(e.value[i]);
    result.stealDepth.add(e.b[i]);
    const thief = about[e.lane[i]], victim = about[e.a[i]];
    if (!victim?.is_worker || !thief.is_worker || victim.pool !== thief.pool) continue;
    const places = Math.min(farthest, Math.abs(victim.worker - thief.worker));
    result.stealDistance.set(places, (result.stealDistance.get(places) ?? 0) + 1);
  }
  for (const i of model.wakes) if (e.value[i] > 0) result.wakeTime.add(e.value[i]);
  result.spells = model.spells.map(histogramOf);
  result.stolenJobs = histogramOf(model.jobs.stolen);
}

function depthOverTime(model, result) {
  const e = model.run.events;
  const most = new Array(drawnCount).fill(null), sum = new Float64Array(drawnCount), count = new Float64Array(drawnCount);
  for (const i of model.steals) {
    const b = Math.min(drawnCount - 1, Math.floor(e.time[i] / result.drawnWidth));
    most[b] = Math.max(most[b] ?? 0, e.b[i]);
    sum[b] += e.b[i];
    ++count[b];
  }
  result.depth = { most, mean: most.map((m, b) => (m === null ? null : sum[b] / count[b])) };
}

// Time of workers in each state, for a chart.
export function drawnStates(measures) {
  const each = bucketCount / drawnCount;
  return measures.overTime.map((row) => Array.from({ length: drawnCount }, (_, d) => total(row.subarray(d * each, (d + 1) * each)) / measures.drawnWidth));
}

export function measure(model) {
  const result = {
    duration: model.duration, width: Math.max(model.duration, 1) / bucketCount, lanes: [], regions: new Map(), serialByRegion: new Map(), outsideByRegion: new Map(), drawnWidth: Math.max(model.duration, 1) / drawnCount,
    overTime: stateNames.map(() => new Float64Array(bucketCount)), idleByReason: reasonNames.map(() => new Float64Array(bucketCount)), outside: new Float64Array(bucketCount),
  };
  times(model, result);
  const workers = result.lanes.filter((lane) => lane.isWorker);
  const sum = (of, i) => workers.reduce((s, lane) => s + lane[of][i], 0);
  result.workers = workers.length;
  result.pools = new Set(model.run.lanes.filter((lane) => lane.is_worker).map((lane) => lane.pool)).size;
  result.workerTime = workers.reduce((s, lane) => s + total(lane.states), 0);
  result.hasCallers = workers.length > 0 && total(result.outside) > 0;
  if (result.hasCallers) seatCallers(result);
  correctReasons(result);
  result.states = stateNames.map((_, i) => (result.hasCallers ? total(result.overTime[i]) : sum("states", i)));
  result.reasons = reasonNames.map((_, i) => total(result.idleByReason[i]));
  result.working = result.workerTime > 0 ? result.states[state.working] / result.workerTime : NaN;
  result.idleTime = result.states[state.idle] + result.states[state.parked];
  blameRegions(model, result);
  histograms(model, result);
  depthOverTime(model, result);
  return result;
}
