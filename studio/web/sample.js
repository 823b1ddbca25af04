// A sample and its past, move by move. The address keeps the place.
import { arrow, ground, markMove, men, place } from "./board.js";
import { steps } from "./steps.js";

const $ = (id) => document.getElementById(id);
const past = JSON.parse($("main").dataset.past);
const last = past.positions.length - 1;
const at = steps(last, last, draw);

function draw() {
  const { ply, flipped } = at, fen = past.positions[ply], board = $("drawing");
  ground(board, flipped);
  if (ply) markMove(board, past.moves[ply - 1].uci, flipped);
  place(board, men(fen), flipped);
  if (ply === last) for (const a of past.arrows || []) arrow(board, a.uci, a.share, flipped, a.kind);
  board.setAttribute("aria-label", "Board: " + fen);
  $("fen").textContent = fen;
  const move = ply ? `${past.moves[ply - 1].san}${past.moves[ply - 1].note ? " (reconstructed)" : ""}` : "the start of the line";
  $("status").textContent = ply === last ? `The sample, after ${move}` : `Ply ${ply} of ${last}, after ${move}`;
  document.querySelectorAll("#film button").forEach((b) => {
    if (Number(b.dataset.ply) === ply) b.setAttribute("aria-current", "true"); else b.removeAttribute("aria-current");
  });
}
$("film")?.addEventListener("click", (e) => { const b = e.target.closest("button"); if (b) at.go(Number(b.dataset.ply)); });
$("seen").addEventListener("change", () => $("seen").requestSubmit());
const film = $("film");
if (film) film.scrollLeft = film.scrollWidth;
at.draw();
