// The timeline: a row for each lane on one canvas. What is narrower than a pixel is drawn by its share: a column of pixels
// shows, from the bottom up, how much of its time went where. So a million events take one pass over the visible ones.
import { isWork, state, stateNames } from "./data.js";
import { colours, regionColours, regionName } from "./colours.js";
import { h, number, plural, share, time } from "./dom.js";

const arrowWidth = 10;  // where arrows have less room on average, none is drawn
const axisHeight = 24;
const slots = regionColours + 3;  // the regions, then idle, parked, blocked
const slotOfState = { [state.idle]: regionColours, [state.parked]: regionColours + 1, [state.blocked]: regionColours + 2 };
const mostRows = 1000;  // a canvas can be about 32,000 pixels high
const leastSpan = 100;  // ns
const leastLabel = 12;  // pixels: rows that are lower have no room for a name each

export class Timeline {
  constructor(run, ranks) {
    this.run = run;
    this.ranks = ranks;
    this.duration = Math.max(run.report.duration_ns, 1);
    this.from = 0;
    this.to = this.duration;
    this.rows = Math.min(mostRows, run.lanes.length);
    const lanes = this.rows;
    this.rowHeight = lanes <= 8 ? 34 : lanes <= 24 ? 22 : lanes <= 64 ? 12 : 5;
    this.height = axisHeight + Math.max(1, lanes) * this.rowHeight;
    this.build();
  }

  build() {
    this.canvas = h("canvas", {
      id: "timeline", tabindex: "0", role: "img",
      "aria-label": "Timeline: a row for each worker, time from left to right. The same figures are in the table below. " +
        "Arrow keys move, plus and minus zoom, Home shows all.",
      onwheel: (e) => this.onWheel(e), onpointerdown: (e) => this.onDown(e), onpointermove: (e) => this.onMove(e),
      onpointerup: () => this.onUp(), onpointercancel: () => this.onUp(), onpointerleave: () => this.hideTip(),
      onkeydown: (e) => this.onKey(e), ondblclick: () => this.show(0, this.duration),
    });
    this.tip = h("div", { class: "tip", hidden: true });
    this.status = h("span", { id: "view", class: "hint", "aria-live": "polite" });
    const button = (text, label, f) => h("button", { type: "button", "aria-label": label, onclick: f }, text);
    this.element = h("div", {},
      h("div", { class: "tools" },
        button("+", "Zoom in", () => this.zoom(0.5)), button("−", "Zoom out", () => this.zoom(2)),
        button("←", "Earlier", () => this.move(-0.3)), button("→", "Later", () => this.move(0.3)),
        button("All", "Show the whole run", () => this.show(0, this.duration)), this.status),
      h("div", { class: "timeline" }, this.canvas, this.tip),
      h("p", { class: "hint" }, "Wheel: zoom. Drag or arrow keys: move. + and −: zoom. Home: all. A column of pixels shows by height how its time was spent." +
        this.summed() + (this.rows < this.run.lanes.length ? ` The first ${this.rows} of ${this.run.lanes.length} threads are shown.` : "")));
    new ResizeObserver(() => this.later()).observe(this.canvas);
  }

  // What a large run leaves out.
  summed() {
    const { while_ns: whole, steal_step: step, report } = this.run;
    const texts = [];
    if (whole > 0) texts.push(` The run has ${number(report.events)} events: what happened within ${time(whole)} is summed up, and its order isn't shown.`);
    if (step > 1) texts.push(` One of ${number(step)} steals is drawn.`);
    return texts.join("");
  }

  // Names stand beside their rows: this wide.
  gutter(width) { return width < 500 ? 76 : 132; }
  drawnWidth() { return Math.max(1, this.canvas.clientWidth - this.gutter(this.canvas.clientWidth)); }

  // The part from `from` to `to`, moved into the run and not narrower than leastSpan.
  show(from, to) {
    const span = Math.min(this.duration, Math.max(to - from, Math.min(leastSpan, this.duration)));
    this.from = Math.min(Math.max(0, from), this.duration - span);
    this.to = this.from + span;
    this.later();
  }
  zoom(factor, at = (this.from + this.to) / 2) {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }
  move(share) {
    const by = share * (this.to - this.from);
    this.show(this.from + by, this.to + by);
  }

  timeAt(event) { return this.from + ((event.offsetX - this.gutter(this.canvas.clientWidth)) / this.drawnWidth()) * (this.to - this.from); }
  onWheel(e) {
    if (e.altKey || (e.deltaX === 0 && e.deltaY === 0)) return;
    e.preventDefault();
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey) this.move((e.deltaX || e.deltaY) / 1000);
    else this.zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 300))), this.timeAt(e));
  }
  onDown(e) {
    this.drag = { x: e.clientX, from: this.from, to: this.to };
    this.canvas.setPointerCapture(e.pointerId);
    this.canvas.classList.add("dragged");
  }
  onMove(e) {
    if (!this.drag) return this.showTip(e);
    const by = ((this.drag.x - e.clientX) / this.drawnWidth()) * (this.drag.to - this.drag.from);
    this.show(this.drag.from + by, this.drag.to + by);
  }
  onUp() {
    this.drag = null;
    this.canvas.classList.remove("dragged");
  }
  onKey(e) {
    const step = e.shiftKey ? 0.5 : 0.1;
    const does = {
      ArrowLeft: () => this.move(-step), ArrowRight: () => this.move(step), PageUp: () => this.move(-0.9), PageDown: () => this.move(0.9),
      "+": () => this.zoom(0.6), "=": () => this.zoom(0.6), ArrowUp: () => this.zoom(0.6), "-": () => this.zoom(1 / 0.6),
      ArrowDown: () => this.zoom(1 / 0.6), Home: () => this.show(0, this.duration), 0: () => this.show(0, this.duration),
    }[e.key];
    if (!does || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    does();
  }

  hideTip() { this.tip.hidden = true; }
  showTip(e) {
    const { report, lanes, names, reasons } = this.run;
    const l = Math.floor((e.offsetY - axisHeight) / this.rowHeight);
    if (l < 0 || l >= this.rows || e.offsetX < this.gutter(this.canvas.clientWidth)) return this.hideTip();
    const t = this.timeAt(e), all = lanes[l], i = all.firstAfter(t);
    if (i >= all.length || all.begin[i] > t) return this.hideTip();
    const what = all.state[i], length = time(all.end[i] - all.begin[i]);
    const more = isWork(what) ? `: ${regionName(names[all.region[i]])}`
      : what === state.idle || what === state.parked ? `: ${reasons[all.why[i]].replaceAll("_", " ")}` : "";
    const where = this.run.while_ns > 0 ? "in all, at about" : "from";
    this.tip.textContent = `${report.lanes[l].name}: ${stateNames[what]}${more}, ${length} ${where} ${time(all.begin[i])}`;
    this.tip.hidden = false;
    const left = Math.min(e.offsetX + 14, this.canvas.clientWidth - this.tip.offsetWidth - 4);
    this.tip.style.left = `${Math.max(4, left)}px`;
    this.tip.style.top = `${Math.max(2, Math.min(e.offsetY + 14, this.height - this.tip.offsetHeight - 2))}px`;
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const all = this.canvas.clientWidth;
    if (all === 0) return;
    const gutter = this.gutter(all), width = this.drawnWidth();
    const began = performance.now();
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(all * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.canvas.style.height = `${this.height}px`;
    const draw = this.canvas.getContext("2d");
    draw.scale(scale, scale);
    const c = colours();
    this.palette = [...c.regions, c.states.idle, c.states.parked, c.states.blocked];
    draw.fillStyle = c.back;
    draw.fillRect(0, 0, all, this.height);
    this.drawNames(draw, gutter, c);
    draw.translate(gutter, 0);
    this.drawAxis(draw, width, c);
    for (let l = 0; l < this.rows; ++l) this.drawLane(draw, l, width, c);
    const { shown, arrows } = this.drawSteals(draw, width, c);
    this.report(shown, arrows, performance.now() - began);
  }

  report(shown, arrows, took) {
    const data = this.canvas.dataset;
    Object.assign(data, { fromNs: Math.round(this.from), toNs: Math.round(this.to), steals: shown, arrows, drawMs: took.toFixed(1), drawn: (Number(data.drawn) || 0) + 1 });
    this.status.textContent = `${time(this.from)} to ${time(this.to)}, ${plural(shown, "steal")}` +
      (shown > 0 && arrows === 0 ? ": zoom in to see them as arrows" : "") +
      (this.run.while_ns > 0 ? `. Its single events: heist report TRACE --from ${Math.floor(this.from)}ns --to ${Math.ceil(this.to)}ns -o part.html` : "");
  }

  drawAxis(draw, width, c) {
    const span = this.to - this.from;
    const wanted = span / Math.max(2, width / 110);
    const ten = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].map((m) => m * ten).find((s) => s >= wanted);
    draw.font = "11px system-ui, sans-serif";
    draw.textBaseline = "middle";
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      const x = Math.round(((t - this.from) / span) * width) + 0.5;
      draw.fillStyle = c.line;
      draw.fillRect(x, 0, 1, axisHeight);
      draw.fillStyle = c.quiet;
      const text = this.tick(t, step);
      if (x + 4 + draw.measureText(text).width <= width) draw.fillText(text, x + 4, axisHeight / 2);
    }
  }
  tick(t, step) {
    const [size, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(([s]) => this.to >= s) ?? [1, "ns"];
    return `${(t / size).toFixed(Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9))))} ${unit}`;
  }

  // The shares of each pixel's time, slot by slot.
  shares(l, width) {
    const all = this.run.lanes[l];
    const filled = new Float32Array(width * slots);
    const perPixel = (this.to - this.from) / width;
    for (let i = all.firstAfter(this.from); i < all.length && all.begin[i] < this.to; ++i) {
      const what = all.state[i];
      const slot = isWork(what) ? this.ranks[all.region[i]] : slotOfState[what];
      const begin = Math.max(0, (all.begin[i] - this.from) / perPixel), end = Math.min(width, (all.end[i] - this.from) / perPixel);
      const first = Math.floor(begin), last = Math.min(width - 1, Math.floor(end));
      if (first >= width) continue;
      if (first === last) {
        filled[first * slots + slot] += end - begin;
        continue;
      }
      filled[first * slots + slot] += first + 1 - begin;
      for (let x = first + 1; x < last; ++x) filled[x * slots + slot] = 1;
      filled[last * slots + slot] += end - last;
    }
    return filled;
  }

  drawLane(draw, l, width, c) {
    const gap = this.rowHeight >= 12 ? 2 : this.rowHeight >= 8 ? 1 : 0;
    const top = axisHeight + l * this.rowHeight + gap / 2, tall = this.rowHeight - gap;
    const whole = Math.ceil(width), filled = this.shares(l, whole);
    let from = 0, only = -2;  // a run of pixels that have one colour alone
    const flush = (x) => {
      if (only >= 0) {
        draw.fillStyle = this.palette[only];
        draw.fillRect(from, top, x - from, tall);
      }
    };
    for (let x = 0; x < whole; ++x) {
      const one = onlySlot(filled, x * slots);
      if (one !== only || one === -1) {
        flush(x);
        from = x;
        only = one;
      }
      if (one === -1) this.drawColumn(draw, filled, x, top, tall);
    }
    flush(whole);
  }

  drawColumn(draw, filled, x, top, tall) {
    let bottom = top + tall;
    for (let s = 0; s < slots; ++s) {
      const share = filled[x * slots + s];
      if (share <= 0) continue;
      const high = Math.min(bottom - top, share * tall);
      draw.fillStyle = this.palette[s];
      draw.fillRect(x, bottom - high, 1, high);
      bottom -= high;
    }
  }

  // Where rows are low, some of them have their name.
  drawNames(draw, wide, c) {
    draw.font = "11px system-ui, sans-serif";
    draw.textBaseline = "middle";
    draw.fillStyle = c.text;
    const each = Math.ceil(leastLabel / this.rowHeight);
    for (let l = 0; l < this.rows; l += each) {
      let name = this.run.report.lanes[l].name;
      while (name.length > 1 && draw.measureText(name).width > wide - 8) name = `${name.replace(/…$/, "").slice(0, -1)}…`;
      draw.fillText(name, 4, axisHeight + (l + 0.5) * this.rowHeight + 0.5);
    }
  }

  drawSteals(draw, width, c) {
    const { steals } = this.run;
    const first = lowerBound(steals.time_ns, this.from), last = lowerBound(steals.time_ns, this.to + 1);
    if ((last - first) * arrowWidth > width) return { shown: last - first, arrows: 0 };
    const scale = width / (this.to - this.from);
    let arrows = 0;
    for (let s = first; s < last; ++s) {
      const victim = steals.victim[s], thief = steals.thief[s];
      if (victim >= this.rows || thief >= this.rows || victim === thief) continue;
      const middle = (lane) => axisHeight + (lane + 0.5) * this.rowHeight;
      this.arrow(draw, (steals.time_ns[s] - this.from) * scale, middle(victim), middle(thief), c);
      ++arrows;
    }
    return { shown: last - first, arrows };
  }

  // From the victim to the thief, with a border so that it can be seen on each colour.
  arrow(draw, x, from, to, c) {
    const head = from < to ? -5 : 5;
    const path = () => {
      draw.beginPath();
      draw.moveTo(x, from);
      draw.lineTo(x, to);
      draw.moveTo(x - 3, to + head);
      draw.lineTo(x, to);
      draw.lineTo(x + 3, to + head);
      draw.stroke();
    };
    draw.strokeStyle = c.back;
    draw.lineWidth = 3;
    path();
    draw.strokeStyle = c.arrow;
    draw.lineWidth = 1.2;
    path();
  }
}

// The one slot of a pixel that is full; -2 where nothing is, -1 where several are.
function onlySlot(filled, at) {
  let found = -2;
  for (let s = 0; s < slots; ++s) {
    const share = filled[at + s];
    if (share <= 0.003) continue;
    if (share < 0.997 || found >= 0) return -1;
    found = s;
  }
  return found;
}

function lowerBound(sorted, value) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function legend({ report }) {
  const c = colours(), { regions } = report, total = regions.reduce((sum, r) => sum + r.work_ns, 0);
  const item = (colour, text, key) => {
    const swatch = h("span", { class: "swatch" });
    swatch.style.background = colour;
    return h("li", { "data-legend": key }, swatch, text);
  };
  const named = regions.length > regionColours ? regions.slice(0, regionColours - 1) : regions;
  const items = named.map((r, i) => item(c.regions[i], `${regionName(r.name)} (${share(r.work_ns, total)} of work)`, "region"));
  if (named.length < regions.length) items.push(item(c.regions[regionColours - 1], plural(regions.length - named.length, "more region"), "regions"));
  for (const name of ["idle", "parked", "blocked"]) items.push(item(c.states[name], name, name));
  return h("ul", { class: "legend", id: "legend" }, items);
}
