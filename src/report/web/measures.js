// Sums over a run: how long who did what, in all and over time.
import { state, stateNames, reasonNames } from "./model.js";

export const bucketCount = 500;

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

// The times of lanes, workers only for the sums.
function times(model, result) {
  const { run } = model;
  model.lanes.forEach((intervals, l) => {
    const lane = { name: run.lanes[l].name, isWorker: run.lanes[l].is_worker, states: stateNames.map(() => 0), reasons: reasonNames.map(() => 0) };
    for (let i = 0; i < intervals.length; ++i) {
      const length = intervals.end[i] - intervals.begin[i];
      const what = intervals.state[i];
      lane.states[what] += length;
      if (what === state.idle || what === state.parked) lane.reasons[intervals.detail[i]] += length;
      if (what === state.working) result.regions.set(intervals.detail[i], (result.regions.get(intervals.detail[i]) ?? 0) + length);
      if (lane.isWorker) addOver(result.overTime[what], result.width, intervals.begin[i], intervals.end[i]);
      if (lane.isWorker && what !== state.working && intervals.detail[i] === 2 && (what === state.idle || what === state.parked))
        addOver(result.serialIdle, result.width, intervals.begin[i], intervals.end[i]);
    }
    result.lanes.push(lane);
  });
}

// Idle time of serial phases by the region that ran meanwhile, as near as the buckets allow.
function blameRegions(model, result) {
  if (result.reasons[2] === 0) return;
  const byRegion = new Map(), all = new Float64Array(bucketCount);
  for (const intervals of model.lanes) {
    for (let i = 0; i < intervals.length; ++i) {
      if (intervals.state[i] !== state.working) continue;
      const region = intervals.detail[i];
      if (!byRegion.has(region)) byRegion.set(region, new Float64Array(bucketCount));
      addOver(byRegion.get(region), result.width, intervals.begin[i], intervals.end[i]);
      addOver(all, result.width, intervals.begin[i], intervals.end[i]);
    }
  }
  for (const [region, work] of byRegion) {
    let sum = 0;
    for (let b = 0; b < bucketCount; ++b) if (all[b] > 0) sum += (result.serialIdle[b] * work[b]) / all[b];
    result.serialByRegion.set(region, sum);
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
    if (!victim || victim.pool !== thief.pool) continue;
    const places = Math.abs(victim.worker - thief.worker);
    result.stealDistance.set(places, (result.stealDistance.get(places) ?? 0) + 1);
  }
  for (const i of model.wakes) if (e.value[i] > 0) result.wakeTime.add(e.value[i]);
  result.spells = model.spells.map(histogramOf);
  result.stolenJobs = histogramOf(model.jobs.stolen);
}

function depthOverTime(model, result) {
  const e = model.run.events;
  const most = new Array(bucketCount).fill(null), sum = new Float64Array(bucketCount), count = new Float64Array(bucketCount);
  for (const i of model.steals) {
    const b = Math.min(bucketCount - 1, Math.floor(e.time[i] / result.width));
    most[b] = Math.max(most[b] ?? 0, e.b[i]);
    sum[b] += e.b[i];
    ++count[b];
  }
  result.depth = { most, mean: most.map((m, b) => (m === null ? null : sum[b] / count[b])) };
}

export function measure(model) {
  const result = {
    duration: model.duration, width: Math.max(model.duration, 1) / bucketCount, lanes: [], regions: new Map(), serialByRegion: new Map(),
    overTime: stateNames.map(() => new Float64Array(bucketCount)), serialIdle: new Float64Array(bucketCount),
  };
  times(model, result);
  const workers = result.lanes.filter((lane) => lane.isWorker);
  const sum = (lanes, of, i) => lanes.reduce((s, lane) => s + lane[of][i], 0);
  result.workers = workers.length;
  result.states = stateNames.map((_, i) => sum(workers, "states", i));
  result.reasons = reasonNames.map((_, i) => sum(workers, "reasons", i));
  result.workerTime = workers.length * model.duration;
  result.working = result.workerTime > 0 ? result.states[state.working] / result.workerTime : NaN;
  result.idleTime = result.states[state.idle] + result.states[state.parked];
  blameRegions(model, result);
  histograms(model, result);
  depthOverTime(model, result);
  return result;
}
