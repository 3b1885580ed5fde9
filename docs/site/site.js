// The site's behaviour: the button for light and dark, the menu of narrow screens, search.
"use strict";

const page = document.documentElement;
const root = document.body.dataset.root;
const at = (id) => document.getElementById(id);

// Light and dark.

const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (page.dataset.theme ? page.dataset.theme === "dark" : system.matches);

function showTheme() {
  at("theme").textContent = isDark() ? "Light" : "Dark";
  at("theme").setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
}

at("theme").addEventListener("click", () => {
  page.dataset.theme = isDark() ? "light" : "dark";
  try {
    localStorage.setItem("heist-theme", page.dataset.theme);
  } catch { /* Without storage the choice lasts for this page. */ }
  showTheme();
});
system.addEventListener("change", showTheme);
showTheme();

// The menu is a list that opens where there is no room beside the text.

const narrow = matchMedia("(max-width: 50rem)");
const fitMenu = () => { at("menu").open = !narrow.matches; };
narrow.addEventListener("change", fitMenu);
fitMenu();

// What scrolls in itself can be reached by the keyboard.

function fitScrollers() {
  for (const box of document.querySelectorAll("pre, .scroll, .picture")) {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
addEventListener("resize", fitScrollers);
fitScrollers();

// Search. An entry of the index: [kind, title, where, address, words]; the kind n is a public name.

const most = 30;
let entries = null;

function load() {
  if (entries) return Promise.resolve();
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = `${root}search-index.js`;
    script.onload = () => {
      entries = window.heistIndex.map(([kind, title, where, address, words]) => (
        { kind, title, where, address, words, low: title.toLowerCase(), last: title.toLowerCase().split("::").pop(), text: `${where} ${words}`.toLowerCase() }));
      done();
    };
    script.onerror = () => failed(new Error("no search-index.js"));
    document.head.append(script);
  });
}

// How well an entry fits all words, or 0: names before headings before text, beginnings before middles.
function score(entry, words) {
  let sum = 0;
  for (const word of words) {
    let points = 0;
    if (entry.last === word || entry.low === word) points = 100;
    else if (entry.last.startsWith(word) || entry.low.startsWith(word)) points = 60;
    else if (entry.low.includes(word)) points = 40;
    else if (entry.text.includes(word)) points = entry.kind === "n" ? 6 : 10;
    if (points === 0) return 0;
    sum += points;
  }
  // All of them in a row mean more than each somewhere.
  const phrase = words.join(" ");
  if (words.length > 1 && (entry.low.includes(phrase) || entry.text.includes(phrase))) sum += 30;
  const isItsHeader = entry.where.endsWith(`/${entry.last}.hpp>`);
  return sum + (entry.kind === "n" ? 5 : 0) + (isItsHeader ? 5 : 0) - Math.min(4, entry.title.length / 20);
}

function wordsOf(text) {
  return text.toLowerCase().replace(/\bheist::/g, "").replace(/[()]/g, " ").split(/\s+/).filter(Boolean);
}

// What was asked for, and the same with a phrase of it in heist's words (synonyms.json), which counts for less.
const meant = 0.8;

function asked(text) {
  const plain = ` ${wordsOf(text).join(" ")} `;
  const all = [{ words: wordsOf(text), weight: 1 }];
  for (const [phrase, others] of Object.entries(window.heistSynonyms))
    if (plain.includes(` ${phrase} `)) for (const other of others) all.push({ words: wordsOf(plain.replace(` ${phrase} `, ` ${other} `)), weight: meant });
  return all;
}

function find(text) {
  if (wordsOf(text).length === 0) return [];
  const questions = asked(text);
  const points = (entry) => Math.max(...questions.map(({ words, weight }) => weight * score(entry, words)));
  return entries.map((entry) => ({ entry, points: points(entry) })).filter((f) => f.points > 0)
    .sort((a, b) => b.points - a.points).map((f) => f.entry);
}

// The words around the first that was looked for, as nodes.
function excerpt(entry, words) {
  const low = entry.words.toLowerCase();
  const places = words.map((w) => [low.indexOf(w), w.length]).filter(([p]) => p >= 0);
  if (places.length === 0) return [entry.words.slice(0, 120)];
  const [begin, length] = places[0];
  const from = Math.max(0, begin - 30);
  const mark = document.createElement("mark");
  mark.textContent = entry.words.slice(begin, begin + length);
  return [(from > 0 ? "… " : "") + entry.words.slice(from, begin), mark, entry.words.slice(begin + length, begin + 120)];
}

function item(entry, number, words) {
  const li = document.createElement("li");
  li.id = `found-${number}`;
  li.setAttribute("role", "option");
  const a = document.createElement("a");
  a.href = root + entry.address;
  a.tabIndex = -1;
  const title = document.createElement(entry.kind === "n" ? "code" : "span");
  title.textContent = entry.title;
  const where = document.createElement("span");
  where.className = "where";
  where.textContent = entry.where === entry.title ? "" : entry.where;
  const line = document.createElement("span");
  line.className = "words";
  line.append(...excerpt(entry, words));
  a.append(title, where, line);
  a.addEventListener("click", () => at("search").close());
  li.append(a);
  return li;
}

let chosen = -1;

function choose(number) {
  const items = [...at("search-found").children];
  chosen = items.length === 0 ? -1 : (number + items.length) % items.length;
  items.forEach((li, n) => li.setAttribute("aria-selected", String(n === chosen)));
  if (chosen < 0) at("search-words").removeAttribute("aria-activedescendant");
  else {
    at("search-words").setAttribute("aria-activedescendant", items[chosen].id);
    items[chosen].scrollIntoView({ block: "nearest" });
  }
}

function show() {
  const text = at("search-words").value;
  const found = find(text);
  at("search-found").replaceChildren(...found.slice(0, most).map((entry, n) => item(entry, n, asked(text).flatMap((q) => q.words))));
  at("search-words").setAttribute("aria-expanded", String(found.length > 0));
  at("search-status").textContent = text.trim() === "" ? ""
    : found.length === 0 ? `Nothing has all of these words: ${text.trim()}`
      : found.length > most ? `The best ${most} of ${found.length}` : "";
  choose(0);
}

async function openSearch() {
  if (at("search").open) return;
  at("search").showModal();
  at("search-words").focus();
  at("search-words").select();
  try {
    await load();
    show();
  } catch {
    at("search-status").textContent = "The index of the search, search-index.js, is not there.";
  }
}

at("search-open").addEventListener("click", openSearch);
at("search-words").addEventListener("input", () => { if (entries) show(); });
at("search").addEventListener("click", (event) => { if (event.target === at("search")) at("search").close(); });
at("search").addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") choose(chosen + 1);
  else if (event.key === "ArrowUp") choose(chosen - 1);
  else if (event.key === "Enter") at("search-found").children[chosen]?.querySelector("a").click();
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.target.isContentEditable;
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  openSearch();
});
