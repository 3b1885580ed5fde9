// Elements and the text in them. All text from a recording goes through textContent: never through markup.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

const four = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const number = (x) => (!Number.isFinite(x) ? "-" : Math.abs(x) >= 1000 ? whole.format(x) : four.format(x));
export const share = (part, whole) => (whole > 0 ? percent(part / whole) : "-");
export const percent = (share) => `${(100 * share).toFixed(Math.abs(share) < 0.0995 ? 1 : 0)} %`;

const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
export function time(ns) {
  if (!Number.isFinite(ns)) return "-";
  if (ns === 0) return "0 s";
  const [scale, unit] = units.find(([size]) => Math.abs(ns) >= size) ?? units.at(-1);
  return `${number(ns / scale)} ${unit}`;
}

export const plural = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

// Columns are {title, number}; rows are arrays of texts.
export function table(caption, columns, rows, attributes = {}) {
  const kind = (i) => (columns[i].number ? "number" : "text");
  return h("div", { class: "wide" },
    h("table", attributes,
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, columns.map((c, i) => h("th", { class: kind(i), scope: "col" }, c.title)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((text, i) =>
        i === 0 ? h("th", { scope: "row", class: kind(i) }, String(text)) : h("td", { class: kind(i) }, String(text))))))));
}
