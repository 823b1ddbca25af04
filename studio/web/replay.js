// A game that is over, move by move. The address keeps the place.
import { add, arrow, ground, mark, markMove, men, moveItems, place, showCurrent } from "./board.js";
import { steps } from "./steps.js";

const $ = (id) => document.getElementById(id);
const game = JSON.parse($("main").dataset.replay);
const listed = game.moves.map((m) => ({ san: m.san + m.mark, note: m.note }));
const last = game.positions.length - 1;
const at = steps(last, 0, draw);

const charts = [...document.querySelectorAll("#graph svg")]; // of which one is shown
const cursors = charts.map((chart) => add(chart, "line", { class: "cursor", y1: chart.dataset.top, y2: chart.dataset.base }));
const x = (chart, n) => {
  const d = chart.dataset, left = Number(d.left), right = Number(d.right);
  return Math.max(left, Math.min(right, left + (n - d.from) / (d.to - d.from) * (right - left)));
};

function draw() {
  const { ply, flipped } = at, fen = game.positions[ply], pieces = men(fen), board = $("drawing");
  ground(board, flipped);
  if (ply) markMove(board, game.moves[ply - 1].uci, flipped);
  if (game.check[ply]) {
    const king = fen.split(" ")[1] === "w" ? "K" : "k";
    for (const s in pieces) if (pieces[s] === king) mark(board, s, "checked", flipped);
  }
  place(board, pieces, flipped);
  const next = game.moves[ply];
  if (next?.mark) arrow(board, next.uci, 0.4, flipped, "trap");
  if (next?.best) arrow(board, next.best, 0.4, flipped, "best");
  board.setAttribute("aria-label", "Board: " + fen);
  $("moves").replaceChildren(...moveItems(game.positions[0], listed, ply, at.go));
  showCurrent($("moves"));
  $("fen").textContent = fen;
  $("play").href = ($("main").dataset.play || "/play?") + "fen=" + encodeURIComponent(fen);
  if ($("people")) $("people").href = $("main").dataset.people + "#ply=" + ply;
  $("status").textContent = words(ply);
  charts.forEach((chart, i) => {
    cursors[i].setAttribute("x1", x(chart, ply));
    cursors[i].setAttribute("x2", x(chart, ply));
  });
}

function words(ply) {
  if (!ply) return "The start" + (last ? "" : ". No move was played");
  const m = game.moves[ply - 1], parts = [`Half-move ${ply} of ${last}: ${m.san}${m.mark}`];
  if (m.book) parts.push("of the opening");
  if (m.said) parts.push(m.said);
  else if (m.note) parts.push(m.note);
  if (m.depth) parts.push(`depth ${m.depth}`);
  if (m.nodes) parts.push(`${m.nodes.toLocaleString("en")} nodes`);
  if (m.time >= 0.001) parts.push(`${m.time.toFixed(m.time < 10 ? 2 : 0)} s`);
  return parts.join(", ");
}

for (const chart of charts) {
  let pressed = false;
  const point = (e) => {
    const box = chart.getBoundingClientRect(), d = chart.dataset;
    const place = (e.clientX - box.left) / box.width * chart.viewBox.baseVal.width;
    at.go(Math.round(Number(d.from) + (place - d.left) / (d.right - d.left) * (d.to - d.from)));
  };
  chart.addEventListener("pointerdown", (e) => { pressed = true; chart.setPointerCapture(e.pointerId); point(e); });
  chart.addEventListener("pointermove", (e) => { if (pressed) point(e); });
  chart.addEventListener("pointerup", () => { pressed = false; });
}
at.draw();

// A review is made of a file: of this game.
$("review")?.addEventListener("click", async () => {
  try {
    const form = new FormData();
    const name = document.querySelector(".trail a + a").textContent; // of the match
    form.set("games", await (await fetch($("save").href)).blob(), name + " game.pgn");
    form.set("nodes", "100000");
    const answer = await fetch("/review", { method: "POST", body: form });
    if (!answer.ok) throw new Error();
    location.href = answer.url;
  } catch { $("status").textContent = "The game cannot be reviewed"; }
});
