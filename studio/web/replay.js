// A game that is over, move by move. The address keeps the place.
import { add, ground, mark, markMove, men, moveItems, place, showCurrent } from "./board.js";

const $ = (id) => document.getElementById(id);
const game = JSON.parse($("main").dataset.replay);
const last = game.positions.length - 1;
let ply = 0, flipped = false;

function readPlace() {
  const p = new URLSearchParams(location.hash.slice(1));
  ply = Math.max(0, Math.min(last, Number(p.get("ply")) || 0));
  flipped = p.get("flip") === "1";
}
function writePlace() {
  const p = new URLSearchParams();
  if (ply) p.set("ply", ply);
  if (flipped) p.set("flip", "1");
  history.replaceState(null, "", p.size ? "#" + p : location.pathname);
}
readPlace();
addEventListener("hashchange", () => { readPlace(); draw(); });

const chart = document.querySelector("#graph svg");
let cursor = null;
const x = (n) => {
  const d = chart.dataset;
  return Number(d.left) + (n - d.from) / (d.to - d.from) * (d.right - d.left);
};

function draw() {
  const fen = game.positions[ply], pieces = men(fen), board = $("drawing");
  ground(board, flipped);
  if (ply) markMove(board, game.moves[ply - 1].uci, flipped);
  if (game.check[ply]) {
    const king = fen.split(" ")[1] === "w" ? "K" : "k";
    for (const s in pieces) if (pieces[s] === king) mark(board, s, "checked", flipped);
  }
  place(board, pieces, flipped);
  board.setAttribute("aria-label", "Board: " + fen);
  $("moves").replaceChildren(...moveItems(game.positions[0], game.moves, ply, go));
  showCurrent($("moves"));
  $("fen").textContent = fen;
  $("play").href = "/play?fen=" + encodeURIComponent(fen);
  $("first").disabled = $("prev").disabled = ply === 0;
  $("next").disabled = $("last").disabled = ply === last;
  $("status").textContent = words();
  if (chart) {
    if (!cursor) cursor = add(chart, "line", { class: "cursor", y1: chart.dataset.top, y2: chart.dataset.base });
    const at = Math.max(Number(chart.dataset.left), Math.min(Number(chart.dataset.right), x(ply)));
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
  }
}

function words() {
  if (!ply) return "The start" + (last ? "" : ". No move was played");
  const m = game.moves[ply - 1], parts = [`Half-move ${ply} of ${last}: ${m.san}`];
  if (m.book) parts.push("of the opening");
  if (m.note) parts.push(m.note);
  if (m.depth) parts.push(`depth ${m.depth}`);
  if (m.nodes) parts.push(`${m.nodes.toLocaleString("en")} nodes`);
  if (m.time >= 0.001) parts.push(`${m.time.toFixed(m.time < 10 ? 2 : 0)} s`);
  return parts.join(", ");
}

function go(to) {
  ply = Math.max(0, Math.min(last, to));
  writePlace();
  draw();
}

$("first").addEventListener("click", () => go(0));
$("prev").addEventListener("click", () => go(ply - 1));
$("next").addEventListener("click", () => go(ply + 1));
$("last").addEventListener("click", () => go(last));
$("flip").addEventListener("click", () => { flipped = !flipped; writePlace(); draw(); });
addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const step = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: last }[e.key];
  if (step !== undefined) { e.preventDefault(); go(step); }
  else if (e.key === "f") $("flip").click();
  else if (e.key === "[" && $("before")) $("before").click();
  else if (e.key === "]" && $("after")) $("after").click();
});
if (chart) {
  let pressed = false;
  const point = (e) => {
    const box = chart.getBoundingClientRect(), d = chart.dataset;
    const at = (e.clientX - box.left) / box.width * chart.viewBox.baseVal.width;
    go(Math.round(Number(d.from) + (at - d.left) / (d.right - d.left) * (d.to - d.from)));
  };
  chart.addEventListener("pointerdown", (e) => { pressed = true; chart.setPointerCapture(e.pointerId); point(e); });
  chart.addEventListener("pointermove", (e) => { if (pressed) point(e); });
  chart.addEventListener("pointerup", () => { pressed = false; });
}
draw();
