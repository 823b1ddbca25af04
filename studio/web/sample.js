// A sample and its past, move by move. The address keeps the place.
import { arrow, ground, markMove, men, place } from "./board.js";

const $ = (id) => document.getElementById(id);
const past = JSON.parse($("main").dataset.past);
const last = past.positions.length - 1;
let ply = last, flipped = false;

function readPlace() {
  const p = new URLSearchParams(location.hash.slice(1));
  ply = p.has("ply") ? Math.max(0, Math.min(last, Number(p.get("ply")) || 0)) : last;
  flipped = p.get("flip") === "1";
}
function writePlace() {
  const p = new URLSearchParams();
  if (ply !== last) p.set("ply", ply);
  if (flipped) p.set("flip", "1");
  history.replaceState(null, "", p.size ? "#" + p : location.pathname + location.search);
}
readPlace();
addEventListener("hashchange", () => { readPlace(); draw(); });

function draw() {
  const fen = past.positions[ply], board = $("drawing");
  ground(board, flipped);
  if (ply) markMove(board, past.moves[ply - 1].uci, flipped);
  place(board, men(fen), flipped);
  if (ply === last) for (const a of past.arrows || []) arrow(board, a.uci, a.share, flipped, a.kind);
  board.setAttribute("aria-label", "Board: " + fen);
  $("fen").textContent = fen;
  $("first").disabled = $("prev").disabled = ply === 0;
  $("next").disabled = $("last").disabled = ply === last;
  const move = ply ? `${past.moves[ply - 1].san}${past.moves[ply - 1].note ? " (reconstructed)" : ""}` : "the start of the line";
  $("status").textContent = ply === last ? `The sample, after ${move}` : `Ply ${ply} of ${last}, after ${move}`;
  document.querySelectorAll("#film button").forEach((b) => {
    if (Number(b.dataset.ply) === ply) b.setAttribute("aria-current", "true"); else b.removeAttribute("aria-current");
  });
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
$("film")?.addEventListener("click", (e) => { const b = e.target.closest("button"); if (b) go(Number(b.dataset.ply)); });
addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const step = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: last }[e.key];
  if (step !== undefined) { e.preventDefault(); go(step); }
  else if (e.key === "f") $("flip").click();
  else if (e.key === "[" || e.key === "p") $("before")?.click();
  else if (e.key === "]" || e.key === "n") $("after")?.click();
});
$("seen").addEventListener("change", () => $("seen").requestSubmit());
const film = $("film");
if (film) film.scrollLeft = film.scrollWidth;
draw();
