// What the page holds, out of its JSON: what the command says of the run (`report`, as `heist report --json` prints it), and
// columns of little-endian numbers in base64 for what pictures need besides (src/report/run_page.cpp).

export const noLane = 0xffff;

function bytes(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const result = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) result[i] = text.charCodeAt(i);
  return result;
}

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function column(of, name, Type) {
  const raw = bytes(of[name]);
  const size = Type.BYTES_PER_ELEMENT;
  if (raw.length !== of.count * size) throw new Error(`the column ${name} has ${raw.length} bytes for ${of.count} rows`);
  if (!isLittleEndian) for (let i = 0; i < raw.length; i += size) raw.subarray(i, i + size).reverse();
  return new Type(raw.buffer, raw.byteOffset, of.count);
}

const columns = (of, types) => Object.fromEntries([["count", of.count], ...Object.entries(types).map(([name, Type]) => [name, column(of, name, Type)])]);

// The slices of one lane, in order of time: a range of the columns of all, which come lane by lane.
class Lane {
  constructor(slices, first, last) {
    this.length = last - first;
    for (const name of ["state", "region", "why"]) this[name] = slices[name].subarray(first, last);
    this.begin = slices.begin_ns.subarray(first, last);
    this.end = slices.end_ns.subarray(first, last);
  }
  // The first slice that ends after t.
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

function lanesOf(slices, count) {
  const lanes = [];
  for (let lane = 0, at = 0; lane < count; ++lane) {
    const first = at;
    while (at < slices.count && slices.lane[at] === lane) ++at;
    lanes.push(new Lane(slices, first, at));
  }
  return lanes;
}

export function decode(json) {
  const run = JSON.parse(json);
  const slices = columns(run.slices, { begin_ns: Float64Array, end_ns: Float64Array, lane: Uint16Array, state: Uint8Array, region: Uint32Array, why: Uint8Array });
  run.lanes = lanesOf(slices, run.report.lanes.length);
  run.steals = columns(run.steals, { time_ns: Float64Array, thief: Uint16Array, victim: Uint16Array, depth: Uint32Array });
  for (const counter of run.counters) counter.values = columns(counter.values, { time_ns: Float64Array, value: Float64Array });
  return run;
}

// As trace::lane_state, and last a thread that works outside of the pools.
export const state = { working: 0, idle: 1, parked: 2, blocked: 3, outside: 4 };
export const stateNames = ["working", "idle", "parked", "blocked", "outside of the pool"];

export const isWork = (what) => what === state.working || what === state.outside;
