// What the page reads out of its data, without a browser: node --test data_test.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, noLane, state } from "../../src/report/web/data.js";

const bits = { double: [8, (b, x) => b.writeDoubleLE(x)], u8: [1, (b, x) => b.writeUInt8(x)], u16: [2, (b, x) => b.writeUInt16LE(x)], u32: [4, (b, x) => b.writeUInt32LE(x)] };

function column(kind, numbers) {
  const [size, write] = bits[kind];
  return Buffer.concat(numbers.map((x) => { const b = Buffer.alloc(size); write(b, x); return b; })).toString("base64");
}

// Slices are [lane, begin, end, state], steals [time, thief, victim, depth].
function page({ slices = [], steals = [], counters = [], lanes = 2 } = {}) {
  const of = (rows, i) => rows.map((row) => row[i] ?? 0);
  return JSON.stringify({
    report: { lanes: Array.from({ length: lanes }, (_, i) => ({ name: `w${i}` })) },
    slices: { count: slices.length, lane: column("u16", of(slices, 0)), begin_ns: column("double", of(slices, 1)), end_ns: column("double", of(slices, 2)),
      state: column("u8", of(slices, 3)), region: column("u32", of(slices, 4)), why: column("u8", of(slices, 5)) },
    steals: { count: steals.length, time_ns: column("double", of(steals, 0)), thief: column("u16", of(steals, 1)), victim: column("u16", of(steals, 2)), depth: column("u32", of(steals, 3)) },
    counters,
  });
}

test("columns are decoded, and one of the wrong length is refused", () => {
  const { steals } = decode(page({ steals: [[1.5, 1, noLane, 7]] }));
  assert.deepEqual([steals.time_ns[0], steals.thief[0], steals.victim[0], steals.depth[0]], [1.5, 1, noLane, 7]);
  assert.throws(() => decode('{"report":{"lanes":[]},"slices":{"count":2,"begin_ns":"AAAA"}}'), /the column begin_ns has 3 bytes for 2 rows/);
});

test("each lane has its slices, and one without has none", () => {
  const { lanes } = decode(page({ slices: [[0, 0, 10, state.idle], [0, 10, 30, state.working], [2, 5, 7, state.outside]], lanes: 3 }));
  assert.deepEqual(lanes.map((lane) => lane.length), [2, 0, 1]);
  assert.deepEqual([...lanes[0].end], [10, 30]);
  assert.deepEqual([...lanes[2].state], [state.outside]);
});

test("the slice at a time is found", () => {
  const [lane] = decode(page({ slices: [[0, 0, 10, 0], [0, 10, 30, 1], [0, 40, 50, 0]] })).lanes;
  assert.deepEqual([0, 9, 10, 29, 30, 49, 50].map((t) => lane.firstAfter(t)), [0, 0, 1, 1, 2, 2, 3]);
});
