// Curves that grow while a run is trained, and their values where one points. The address says what is drawn.
import { follow } from "./follow.js";

const main = document.getElementById("main"), head = document.getElementById("head"), live = document.getElementById("live");
const form = document.getElementById("view");
const svgNS = "http://www.w3.org/2000/svg";
let version = main.dataset.version;
let at = null; // the place on the axis that is read, in its units

// The form needs no button where there are scripts. Its choices are kept in the address, each a step of the history.
form.querySelector("button").hidden = true;
const query = () => new URLSearchParams(new FormData(form));
form.addEventListener("change", () => {
  history.pushState(null, "", "?" + query());
  ask(true);
});
addEventListener("popstate", () => location.reload());

async function ask(all) {
  const q = query();
  if (!all) q.set("since", version);
  try {
    const answer = await fetch(location.pathname + "/live?" + q);
    if (answer.status !== 200) return;
    const text = await answer.text();
    if (query().toString() !== (q.delete("since"), q.toString())) return; // another choice was made meanwhile
    version = answer.headers.get("Version");
    const parts = document.createElement("div");
    parts.innerHTML = text;
    const focused = [...live.querySelectorAll("svg, a")].indexOf(document.activeElement);
    if (!head.contains(document.activeElement)) head.replaceChildren(...parts.children[0].childNodes);
    live.replaceChildren(...parts.children[1].childNodes);
    prepare();
    if (focused >= 0) live.querySelectorAll("svg, a")[focused]?.focus();
    read();
  } catch { /* the server is gone; the page stays as it is */ }
}

function prepare() {
  for (const chart of charts()) chart.setAttribute("tabindex", "0");
}
const charts = () => [...live.querySelectorAll("svg[data-left]")];
const number = (text) => Number(text);
function pointsOf(g) {
  if (!g.points) g.points = g.dataset.values.split(" ").map((p) => p.split(":").map(number));
  return g.points;
}
function nearest(points, x) {
  let low = 0, high = points.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] < x) low = middle; else high = middle;
  }
  return Math.abs(points[low][0] - x) <= Math.abs(points[high][0] - x) ? points[low] : points[high];
}
const short = (v) => Math.abs(v) >= 1e5 || (v && Math.abs(v) < 1e-3) ? v.toExponential(3) : String(Number(v.toPrecision(5)));

// read shows the values at the place in all charts.
function read() {
  for (const chart of charts()) {
    const d = chart.dataset, output = chart.closest(".plot").querySelector("output");
    chart.querySelector(".cursor")?.remove();
    if (at === null) { output.textContent = ""; continue; }
    const x = Math.max(number(d.from), Math.min(number(d.to), at));
    const place = number(d.left) + (x - d.from) / (d.to - d.from) * (d.right - d.left);
    const line = document.createElementNS(svgNS, "line");
    for (const [k, v] of [["class", "cursor"], ["x1", place], ["x2", place], ["y1", d.top], ["y2", d.base]]) line.setAttribute(k, v);
    chart.append(line);
    const parts = [];
    for (const g of chart.querySelectorAll("g[data-values]")) {
      if (g.classList.contains("faint")) continue;
      const p = nearest(pointsOf(g), x);
      if (p) parts.push(`${g.dataset.name} ${short(p[1])}`);
    }
    output.textContent = `${d.units} ${short(x) === String(Math.round(x)) || d.units === "steps" || d.units === "samples" ? Math.round(x).toLocaleString("en") : x.toFixed(2)}: ${parts.join(" · ")}`;
  }
}
live.addEventListener("pointermove", (e) => {
  const chart = e.target.closest?.("svg[data-left]");
  if (!chart) return;
  const d = chart.dataset, box = chart.getBoundingClientRect();
  const x = (e.clientX - box.left) / box.width * chart.viewBox.baseVal.width;
  at = number(d.from) + Math.max(0, Math.min(1, (x - d.left) / (d.right - d.left))) * (d.to - d.from);
  read();
});
live.addEventListener("pointerleave", () => { if (!live.contains(document.activeElement)) { at = null; read(); } });
live.addEventListener("keydown", (e) => {
  const chart = e.target.closest?.("svg[data-left]");
  if (!chart || e.ctrlKey || e.metaKey || e.altKey) return;
  const d = chart.dataset, from = number(d.from), to = number(d.to), step = (to - from) / (e.shiftKey ? 20 : 100);
  const next = { ArrowLeft: (at ?? to) - step, ArrowRight: (at ?? from) + step, Home: from, End: to, Escape: null }[e.key];
  if (next === undefined) return;
  e.preventDefault();
  at = next === null ? null : Math.max(from, Math.min(to, next));
  read();
});
prepare();

follow(() => ask(false));
