// Makes src/report/run_page.html: one file with the style, the script and the licences, and a place for the recording.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const out = process.argv[2];
const here = (name) => new URL(name, import.meta.url);
const text = (name) => readFileSync(here(name), "utf8");
const hash = (what) => `'sha256-${createHash("sha256").update(what).digest("base64")}'`;

const common = { bundle: true, minify: true, write: false, legalComments: "none", charset: "utf8", logLevel: "warning" };
const script = await build({ ...common, entryPoints: [here("main.js").pathname], format: "iife", target: "es2022" });
const style = await build({ ...common, entryPoints: [here("all.css").pathname] });
// No end tag and no comment in the script: it would end the element.
const code = script.outputFiles[0].text.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const css = style.outputFiles[0].text.trim();

const uplot = JSON.parse(text("node_modules/uplot/package.json"));
const notices = `Made by scripts/build-report-page from src/report/web. Not edited by hand.\n\nuPlot ${uplot.version}, https://github.com/leeoniya/uPlot\n\n${text("node_modules/uplot/LICENSE").trim()}`;

const parts = {
  CSP: `default-src 'none'; script-src ${hash(code)}; style-src ${hash(css)}; base-uri 'none'; form-action 'none'`,
  NOTICES: notices, STYLE: css, SCRIPT: code,
};
let page = text("page.html");
for (const [name, content] of Object.entries(parts)) page = page.split(`@${name}@`).join(content);
if (page.split("@RUN@").length !== 2) throw new Error("the page must have one place for the recording");
writeFileSync(out, page);
