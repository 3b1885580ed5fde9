// The recording out of the page: an object of JSON whose events are columns of little-endian numbers in base64.
// The kinds are those of src/trace/log.hpp.

export const kind = {
  expose: 0, steal: 1, jobBegin: 2, jobEnd: 3, suspend: 4, resume: 5, idleBegin: 6, idleEnd: 7, park: 8, wake: 9,
  blockBegin: 10, blockEnd: 11, regionBegin: 12, regionEnd: 13, counter: 14, leave: 15,
};
export const kindNames = ["jobs exposed", "steals", "jobs begun", "jobs ended", "suspensions", "resumptions", "idle spells begun",
  "idle spells ended", "parks", "wake-ups", "blocking calls begun", "blocking calls ended", "regions entered", "regions left",
  "counter values", "workers that ended"];
export const noLane = 0xffffffff;

function bytes(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const result = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) result[i] = text.charCodeAt(i);
  return result;
}

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function column(events, name, Type) {
  const raw = bytes(events[name]);
  const size = Type.BYTES_PER_ELEMENT;
  if (raw.length !== events.count * size) throw new Error(`the column ${name} has ${raw.length} bytes for ${events.count} events`);
  if (!isLittleEndian) for (let i = 0; i < raw.length; i += size) raw.subarray(i, i + size).reverse();
  return new Type(raw.buffer, raw.byteOffset, events.count);
}

export function decode(json) {
  const run = JSON.parse(json);
  const e = run.events;
  run.events = {
    count: e.count,
    time: column(e, "time_ns", Float64Array),
    lane: column(e, "lane", Uint16Array),
    kind: column(e, "kind", Uint8Array),
    name: column(e, "name", Uint32Array),
    a: column(e, "a", Uint32Array),
    b: column(e, "b", Uint32Array),
    value: column(e, "value", Float64Array),
  };
  return run;
}
