// A sample and its past, move by move. The address keeps the place.
import { add, arrow, ground, markMove, men, place } from "./board.js";
import { steps } from "./steps.js";

const $ = (id) => document.getElementById(id);
const past = JSON.parse($("main").dataset.past);
const last = past.positions.length - 1;
const at = steps(last, last, draw);
const film = $("film"), shown = 8; // the last positions before the sample
for (let ply = Math.max(0, last - shown); film && ply < last; ply++) {
  const b = document.createElement("button"), name = document.createElement("span");
  b.type = "button";
  b.dataset.ply = ply;
  b.classList.toggle("made", !!past.moves[ply].note);
  b.setAttribute("aria-label", "Position at ply " + ply);
  const board = add(b, "svg", { class: "board", viewBox: "0 0 360 360" });
  ground(board, false);
  if (ply) markMove(board, past.moves[ply - 1].uci, false);
  place(board, men(past.positions[ply]), false);
  name.textContent = ply ? past.moves[ply - 1].san : "start";
  b.append(name);
  film.append(b);
}

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
film?.addEventListener("click", (e) => { const b = e.target.closest("button"); if (b) at.go(Number(b.dataset.ply)); });
$("seen").addEventListener("change", () => $("seen").requestSubmit());
if (film) film.scrollLeft = film.scrollWidth;
at.draw();
