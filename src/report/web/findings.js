// What the figures say, in words: each finding has a number and a remedy. Only what costs a run at least a twentieth of
// its workers' time is one, or what bounds the speed-up.
import { state, reasonNames, serialReason, outsideReason } from "./model.js";
import { regionName } from "./colours.js";
import { number, percent, plural, time } from "./dom.js";

const noticeable = 0.05;
const quoted = (name) => `“${name}”`;

// The region that ran for most of the idle time of a kind, if it did for a good part of it.
function topRegion(byRegion, idle, run) {
  const [region, during] = [...byRegion].sort((x, y) => y[1] - x[1])[0] ?? [];
  return region === undefined || during < 0.3 * idle ? null : { name: regionName(run, region), isNamed: region !== 0 };
}

function spanOf(profile, name) {
  const found = profile?.regions?.find((r) => r.name === name || r.name?.endsWith(`/${name}`));
  return found && profile.span > 0 ? found.on_path / profile.span : NaN;
}

function serialPhase(measures, run) {
  const who = topRegion(measures.serialByRegion, measures.reasons[serialReason], run);
  const span = who?.isNamed ? spanOf(run.profile, who.name) : NaN;
  const where = who ? ` while ${who.isNamed ? quoted(who.name) : "code outside of regions"} ran on one worker` : " while one worker ran";
  return {
    says: `nothing to steal${where}`,
    remedy: (who?.isNamed ? `Split ${quoted(who.name)} into tasks, or overlap it with other work.`
      : "Find what runs alone: mark the parts of the program with heist::region, then split the one that is named here.") +
      (Number.isFinite(span) ? ` It is ${percent(span)} of the critical path.` : ""),
  };
}

function outsidePhase(measures, run) {
  const who = topRegion(measures.outsideByRegion, measures.reasons[outsideReason], run);
  const name = who?.isNamed ? quoted(who.name) : null;
  return {
    says: `nothing was given to the pool${name ? ` while ${name} ran outside of it` : ""}`,
    remedy: `${name ? `Run ${name} in the pool, split into tasks` : "Mark what the program does between its calls of the pool with heist::region, to see it here"}, ` +
      "or let the pool work on the next part meanwhile. If that part doesn't matter, record the other one alone: pool.start_trace().",
  };
}

const idleFindings = [
  () => ({
    says: "no deque held anything, though several workers ran",
    remedy: "Make more and smaller tasks near the end of loops and at the leaves of recursion, or start the longest tasks first.",
  }),
  () => ({
    says: "there was work, but its owners hadn't made it public yet",
    remedy: "Fork more often inside long tasks: an owner answers a thief when it next forks or joins. A pool with the deque " +
      "chase_lev has all its work public.",
  }),
  serialPhase,
  () => ({
    says: "nobody ran: what had begun waited for something else",
    remedy: "Give calls that wait to heist::blocking, which lends their worker's place to others, or start more work before the wait.",
  }),
  null,
  outsidePhase,
];
const idleKeys = ["nothing_anywhere", "work_is_private", "serial_phase", "blocked", "unknown", "outside"];

function idle(measures, run) {
  return measures.reasons.flatMap((ns, reason) => {
    if (!idleFindings[reason] || ns < noticeable * measures.workerTime) return [];
    const { says, remedy } = idleFindings[reason](measures, run);
    return [{
      key: idleKeys[reason], cost: ns / measures.workerTime, share: ns / measures.idleTime,
      text: `${percent(ns / measures.idleTime)} of idle time: ${says}`,
      remedy: `${remedy} The idle time of this kind is ${time(ns)}, ${percent(ns / measures.workerTime)} of the workers' time.`,
    }];
  });
}

function parallelism(measures, run) {
  const p = run.profile;
  if (!p || !(p.span > 0) || measures.workers === 0) return [];
  const enough = 4 * measures.workers;
  const result = [];
  if (p.parallelism < enough) {
    const longest = [...(p.regions ?? [])].sort((x, y) => y.on_path - x.on_path)[0];
    const where = longest && longest.on_path > 0 && longest.name ? `${quoted(longest.name)}, which is ${percent(longest.on_path / p.span)} of the critical path`
      : "the critical path";
    result.push({
      key: "parallelism", cost: 1 - Math.min(1, p.parallelism / enough), share: p.parallelism,
      text: `The program's parallelism is ${number(p.parallelism)}: no number of processors makes it more than ${number(p.parallelism)} times as fast as one`,
      remedy: `Its work T1 takes ${time(p.work * 1e9)}, its span Tinf ${time(p.span * 1e9)}. Shorten ${where}.`,
    });
  }
  if (p.burdened_parallelism < 0.5 * p.parallelism && p.burdened_parallelism < enough) {
    result.push({
      key: "burden", cost: 0.1, share: p.burdened_parallelism / p.parallelism,
      text: `With the costs of forks and steals the parallelism falls from ${number(p.parallelism)} to ${number(p.burdened_parallelism)}`,
      remedy: "The tasks are too small for the runtime's costs: make the pieces larger where the recursion ends.",
    });
  }
  return result;
}

function grain(measures) {
  const jobs = measures.stolenJobs, steal = measures.stealTime;
  if (jobs.count < 20 || steal.count < 20) return [];
  const median = jobs.quantile(0.5);
  const cost = (steal.mean * measures.stealDepth.count) / measures.workerTime;
  if (median > 2 * steal.mean || cost < 0.02) return [];
  return [{
    key: "grain", cost, share: median,
    text: `Half of the stolen jobs took at most ${time(median)}, and to steal one took ${time(steal.mean)} on average`,
    remedy: "A thief gains little by them. Stop forking earlier, so that a job takes ten times as long as its steal or more.",
  }];
}

function wakes(measures) {
  const cost = measures.wakeTime.sum / measures.workerTime;
  if (!(cost >= noticeable)) return [];
  return [{
    key: "wake", cost, share: cost,
    text: `${percent(cost)} of the workers' time passed between a call to wake a worker and its first step`,
    remedy: `There were ${plural(measures.wakeTime.count, "wake-up")}, ${time(measures.wakeTime.mean)} each. Join short parallel regions to longer ones, ` +
      "or let workers spin longer before they sleep.",
  }];
}

function scheduling(measures) {
  const cost = measures.states[state.scheduling] / measures.workerTime;
  if (!(cost >= 0.1)) return [];
  return [{
    key: "scheduling", cost, share: cost,
    text: `${percent(cost)} of the workers' time was neither work nor an idle spell`,
    remedy: "The runtime itself took it, or events of it are lost: larger tasks need less of it.",
  }];
}

function imbalance(measures) {
  const work = measures.lanes.filter((lane) => lane.isWorker).map((lane) => lane.states[state.working]);
  if (work.length < 2 || measures.hasCallers || measures.pools !== 1) return [];
  const mean = work.reduce((s, w) => s + w, 0) / work.length, most = Math.max(...work);
  const cost = (most - mean) / measures.duration;
  if (!(cost >= 0.1 && most > 1.5 * mean)) return [];
  return [{
    key: "imbalance", cost, share: most / mean,
    text: `The busiest worker worked ${number(most / mean)} times as long as the average one`,
    remedy: "Work that can't be stolen lies with it: look in the timeline for what it runs while the others are idle.",
  }];
}

export function findings(measures, run) {
  if (!(measures.workerTime > 0)) return [];
  return [idle(measures, run), parallelism(measures, run), grain(measures), wakes(measures), scheduling(measures), imbalance(measures)]
    .flat().sort((x, y) => y.cost - x.cost);
}

export function summary(measures) {
  const idleShare = measures.idleTime / measures.workerTime;
  const reason = measures.reasons.indexOf(Math.max(...measures.reasons));
  if (measures.workers === 0) return "The recording has no worker.";
  if (!(measures.workerTime > 0)) return "The workers did nothing.";
  return `${plural(measures.workers, "worker")}${measures.pools > 1 ? ` of ${measures.pools} pools` : ""} worked ${percent(measures.working)} of their time.` +
    (idleShare >= 0.005 ? ` They had nothing to do for ${percent(idleShare)}, mostly: ${reasonNames[reason]}.` : "");
}
