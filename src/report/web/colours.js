// Colours after Okabe and Ito, those of src/report/palette.hpp: they can be told apart with each of the common colour
// deficiencies. Idle, parked and blocked time differ in lightness too.
const light = {
  regions: ["#0072b2", "#d55e00", "#00875f", "#a0522d", "#b0488a", "#5b5bd6", "#8a6d00", "#555555"],
  states: { working: "#0072b2", idle: "#cfd5dc", parked: "#e9ecf0", blocked: "#2b2b2b" },
  text: "#1f2328", quiet: "#57606a", line: "#d8dee4", back: "#ffffff", arrow: "#111111", mark: "#d55e00",
};
const dark = {
  regions: ["#56b4e9", "#ff9e57", "#35d0a0", "#d99a72", "#ee8fc7", "#a3a3ff", "#e0c341", "#b0b0b0"],
  states: { working: "#56b4e9", idle: "#444a55", parked: "#2a2e36", blocked: "#f2f2f2" },
  text: "#e6e6e6", quiet: "#a4abb6", line: "#3a3f47", back: "#16181d", arrow: "#ffffff", mark: "#ff9e57",
};

export const isDark = () => document.documentElement.dataset.theme === "dark";
export const colours = () => (isDark() ? dark : light);

// By number of a region, its place among the colours: by work, the most first; the last colour is that of all for which there is none.
export const regionColours = 8;
export function rankRegions(run) {
  const slots = new Map(run.report.regions.map((region, i) => [region.name, Math.min(i, regionColours - 1)]));
  return run.names.map((name) => slots.get(name) ?? regionColours - 1);
}
export const regionName = (name) => name || "outside of regions";
