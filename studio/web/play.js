// The board of a game. The rules are the server's: it says which moves are legal.
import { add, arrow, corner as cornerOf, ground, mark, markMove, men, moveItems, names, piece, showCurrent, side, squareAt as squareOf } from "./board.js";

const main = document.getElementById("main");
const base = "/play/" + main.dataset.game;
const $ = (id) => document.getElementById(id);
let game = null; // the state that the server sent last
let ply = null; // the position that is looked at; null: the present one
let flipped = null; // the person has turned the board
let chosen = null; // square whose piece is to move
let focus = "e2"; // square that the keyboard is on
let drag = null;
let problem = ""; // of what was asked last; it stays until something else is asked
const silent = "talbot studio does not answer. Start it again, and open the address that it prints.";

// place is the part of a game's address that a reload and the back button keep.
function readPlace() {
  const p = new URLSearchParams(location.hash.slice(1));
  ply = p.has("ply") ? Number(p.get("ply")) : null;
  flipped = p.has("flip") ? p.get("flip") === "1" : null;
}
function writePlace() {
  const p = new URLSearchParams();
  if (ply !== null) p.set("ply", ply);
  if (flipped !== null) p.set("flip", flipped ? "1" : "0");
  history.replaceState(null, "", p.size ? "#" + p : location.pathname);
}
readPlace();
addEventListener("hashchange", () => { readPlace(); draw(); });

const blackBelow = () => (flipped !== null ? flipped : game.human === "black");
const present = () => game.positions.length - 1;
const lookedAt = () => (ply === null ? present() : Math.min(ply, present()));
const corner = (s) => cornerOf(s, blackBelow());
const squareAt = (column, row) => squareOf(column, row, blackBelow());
const legalFrom = (s) => game.legal.filter((m) => m.startsWith(s));
const myTurn = () => lookedAt() === present() && game.legal.length > 0;

function draw() {
  if (!game) return;
  const at = lookedAt(), fen = game.positions[at], pieces = men(fen), board = $("drawing");
  const black = blackBelow();
  ground(board, black);
  if (at > 0) markMove(board, game.moves[at - 1].uci, black);
  if (chosen) mark(board, chosen, "chosen", black);
  if (game.check[at]) {
    const king = fen.split(" ")[1] === "w" ? "K" : "k";
    for (const s in pieces) if (pieces[s] === king) mark(board, s, "checked", black);
  }
  for (const s in pieces) if (!(drag && drag.from === s && drag.moved)) piece(board, pieces[s], ...corner(s));
  if (chosen && myTurn()) {
    for (const to of new Set(legalFrom(chosen).map((m) => m.slice(2, 4)))) {
      const [x, y] = corner(to);
      if (pieces[to]) add(board, "circle", { class: "ring", cx: x + side / 2, cy: y + side / 2, r: 19 });
      else add(board, "circle", { class: "hint", cx: x + side / 2, cy: y + side / 2, r: 7 });
    }
  }
  const t = game.thought;
  if ($("arrows").checked && t && t.ply === at) (t.prior || []).slice(0, 5).reverse().forEach((p) => arrow(board, p.uci, p.share, black));
  if (drag && drag.moved && pieces[drag.from]) {
    piece(board, pieces[drag.from], drag.x - side / 2, drag.y - side / 2, "dragged ");
  }
  squares(pieces);
  words(fen, at);
}

// squares are buttons over the drawing, for the keyboard and for those who hear the board.
function squares(pieces) {
  const grid = $("squares");
  if (!grid.children.length) {
    for (let row = 0; row < 8; row++) {
      const r = document.createElement("div");
      r.setAttribute("role", "row");
      for (let column = 0; column < 8; column++) {
        const cell = document.createElement("button");
        cell.type = "button";
        cell.setAttribute("role", "gridcell");
        r.append(cell);
      }
      grid.append(r);
    }
  }
  for (let row = 0; row < 8; row++) for (let column = 0; column < 8; column++) {
    const s = squareAt(column, row), b = grid.children[row].children[column], c = pieces[s];
    let label = s + (c ? `, ${c < "a" ? "white" : "black"} ${names[c.toLowerCase()]}` : ", empty");
    if (chosen && legalFrom(chosen).some((m) => m.slice(2, 4) === s)) label += ", can be moved to";
    if (b.getAttribute("aria-label") !== label) b.setAttribute("aria-label", label);
    b.dataset.square = s;
    b.tabIndex = s === focus ? 0 : -1;
    b.setAttribute("aria-selected", s === chosen ? "true" : "false");
  }
}

function words(fen, at) {
  const t = game.thought, status = $("status");
  let text = game.result;
  if (problem) text = problem;
  else if (game.error) text = "The network failed: " + game.error;
  else if (game.loading) text = "The network is being loaded…";
  else if (!text && !game.human) text = game.thinking ? `${game.turn === "white" ? "White" : "Black"} thinks…` : "Paused.";
  else if (!text && game.thinking && game.turn !== game.human) text = "The network thinks…";
  else if (!text) text = game.legal.length ? (game.check.at(-1) ? "Check. " : "") + "Your move." : "The network is waiting: take back or switch sides to go on.";
  const move = game.moves.at(-1);
  if (move && !game.error && !problem) text = `${move.san}. ${text}`;
  if (at !== present() && !problem) text = `Position after ${at} of ${present()} half-moves. ` + text;
  status.classList.toggle("error", !!(game.error || problem));
  if (status.textContent !== text) status.textContent = text;
  $("fen").textContent = fen;
  $("hints").checked = game.hints;
  $("pause").textContent = game.thinking ? "Pause" : "Go on";
  $("pause").disabled = !!game.result;
  const limit = $("limit");
  if (!limit.contains(document.activeElement)) { limit.nodes.value = game.nodes; limit.seconds.value = game.seconds; }
  moveList(at);
  $("effort").textContent = t ? `${t.nodes.toLocaleString("en")} nodes, depth ${t.depth}` : "";
  $("lines").replaceChildren(...(t ? t.lines || [] : []).map((l) => {
    const li = document.createElement("li"), b = document.createElement("b"), m = document.createElement("span");
    b.textContent = l.score || "–";
    m.textContent = l.moves;
    li.append(b, m);
    return li;
  }));
  $("prior").replaceChildren(...(t ? t.prior || [] : []).map((p) => {
    const li = document.createElement("li"), share = document.createElement("small");
    share.textContent = ` ${(100 * p.share).toFixed(p.share < 0.1 ? 1 : 0)} %`;
    li.append(p.san, share);
    return li;
  }));
  const white = t && t.white !== null ? t.white : 0.5;
  $("white").style.height = 100 * white + "%";
  $("value").classList.toggle("flipped", blackBelow());
  $("value").setAttribute("aria-label", t && t.score ? `score ${t.score} from White's view` : "no score yet");
  $("first").disabled = $("prev").disabled = at === 0;
  $("next").disabled = $("last").disabled = at === present();
}

function moveList(at) {
  const list = $("moves"), key = game.positions[0] + game.moves.map((m) => m.uci).join(" ") + at;
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...moveItems(game.positions[0], game.moves, at, go));
  showCurrent(list);
}

function go(to) {
  to = Math.max(0, Math.min(present(), to));
  ply = to === present() ? null : to;
  chosen = null;
  writePlace();
  draw();
}

async function post(action, fields) {
  try {
    const answer = await fetch(`${base}/${action}`, { method: "POST", body: new URLSearchParams(fields || {}) });
    problem = answer.ok ? "" : (await answer.text()).trim();
    if (answer.ok) take(await answer.json());
    else draw();
    return answer.ok;
  } catch {
    lost();
    return false;
  }
}
function lost() {
  problem = silent;
  $("status").textContent = problem;
  $("status").classList.add("error");
}
function take(state) {
  if (game && state.version < game.version) return;
  if (game && state.moves.length !== game.moves.length) { ply = null; chosen = null; writePlace(); }
  game = state;
  draw();
}

async function move(from, to) {
  const moves = legalFrom(from).filter((m) => m.slice(2, 4) === to);
  chosen = null;
  if (!moves.length) { draw(); return; }
  let uci = moves[0];
  if (uci.length > 4) {
    const kind = await promotion();
    if (!kind) { draw(); return; }
    uci = from + to + kind;
  }
  post("move", { move: uci });
}

function promotion() {
  return new Promise((done) => {
    const box = $("promote");
    const finish = (kind) => { box.hidden = true; box.replaceChildren(); done(kind); };
    box.replaceChildren(...[..."qrbn"].map((kind) => {
      const b = document.createElement("button"), svg = add(b, "svg", { viewBox: "0 0 45 45", "aria-hidden": "true" });
      b.type = "button";
      b.setAttribute("aria-label", names[kind]);
      add(svg, "use", { href: "#" + kind, class: game.human });
      b.addEventListener("click", () => finish(kind));
      return b;
    }));
    box.hidden = false;
    setTimeout(() => box.firstChild?.focus()); // after the press of the mouse that asked, which takes the focus
    box.onkeydown = (e) => {
      const all = [...box.children], i = all.indexOf(document.activeElement);
      if (e.key === "Escape") finish(null);
      else if (e.key === "ArrowRight" || e.key === "ArrowLeft") all[(i + (e.key === "ArrowRight" ? 1 : 3)) % 4].focus();
      else if (names[e.key] && "qrbn".includes(e.key)) finish(e.key);
      else return;
      e.preventDefault();
      e.stopPropagation();
    };
  });
}

function choose(s) {
  if (!myTurn()) return;
  if (chosen && chosen !== s && legalFrom(chosen).some((m) => m.slice(2, 4) === s)) { move(chosen, s); return; }
  chosen = chosen !== s && legalFrom(s).length ? s : null;
  draw();
}

const grid = $("squares");
grid.addEventListener("keydown", (e) => {
  const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[e.key];
  if (e.key === "Escape") { chosen = null; draw(); return; }
  if (!step) return;
  e.preventDefault();
  e.stopPropagation();
  const [x, y] = corner(focus);
  const column = Math.max(0, Math.min(7, x / side + step[0])), row = Math.max(0, Math.min(7, y / side + step[1]));
  focus = squareAt(column, row);
  draw();
  grid.querySelector(`[data-square="${focus}"]`).focus();
});
grid.addEventListener("click", (e) => {
  const s = e.target.dataset.square;
  if (s && e.detail === 0) { focus = s; choose(s); } // by the keyboard; the pointer is heeded below
});
function pointed(e) {
  const box = $("boardbox").getBoundingClientRect();
  const x = (e.clientX - box.left) / box.width * 360, y = (e.clientY - box.top) / box.height * 360;
  const column = Math.floor(x / side), row = Math.floor(y / side);
  return { x, y, square: column >= 0 && column < 8 && row >= 0 && row < 8 ? squareAt(column, row) : null };
}
grid.addEventListener("pointerdown", (e) => {
  if (e.button !== 0 || !game) return;
  const { x, y, square } = pointed(e);
  if (!square || !myTurn()) return;
  focus = square;
  const was = chosen;
  choose(square);
  if (chosen === square || was === square) {
    drag = { from: square, x, y, moved: false, startX: x, startY: y };
    if (was === square) { chosen = square; drag.again = true; }
    grid.setPointerCapture(e.pointerId);
    draw();
  }
});
grid.addEventListener("pointermove", (e) => {
  if (!drag) return;
  const { x, y } = pointed(e);
  drag.x = x;
  drag.y = y;
  if (Math.hypot(x - drag.startX, y - drag.startY) > 5) drag.moved = true;
  if (drag.moved) draw();
});
grid.addEventListener("pointerup", (e) => {
  if (!drag) return;
  const d = drag, { square } = pointed(e);
  drag = null;
  if (d.moved && square && square !== d.from) move(d.from, square);
  else { if (d.again && !d.moved) chosen = null; draw(); }
});
grid.addEventListener("pointercancel", () => { drag = null; draw(); });

document.querySelectorAll("[data-do]").forEach((b) => b.addEventListener("click", () => post(b.dataset.do)));
$("pause").addEventListener("click", () => post(game.thinking ? "pause" : "go"));
$("flip").addEventListener("click", () => { flipped = !blackBelow(); writePlace(); draw(); });
$("arrows").addEventListener("change", draw);
$("hints").addEventListener("change", () => post("hints"));
$("first").addEventListener("click", () => go(0));
$("prev").addEventListener("click", () => go(lookedAt() - 1));
$("next").addEventListener("click", () => go(lookedAt() + 1));
$("last").addEventListener("click", () => go(present()));
$("entry").addEventListener("submit", async (e) => {
  e.preventDefault();
  const input = $("move");
  if (input.value.trim() && await post("move", { move: input.value })) input.value = "";
});
$("limit").addEventListener("submit", (e) => {
  e.preventDefault();
  post("limit", { nodes: e.target.nodes.value, seconds: e.target.seconds.value });
});
addEventListener("keydown", (e) => {
  if (e.target.matches("input, select") || e.ctrlKey || e.metaKey || e.altKey || !game) return;
  if (e.key === "ArrowLeft") go(lookedAt() - 1);
  else if (e.key === "ArrowRight") go(lookedAt() + 1);
  else if (e.key === "f") $("flip").click();
  else if (e.key === "u") post("back");
  else if (e.key === "m" && game.human) { e.preventDefault(); $("move").focus(); }
  else if (e.key === "p" && !game.human) $("pause").click();
});

// The server is asked again and again, and no connection is held: any number of tabs works.
async function look() {
  try {
    const answer = await fetch(`${base}/state?since=${game ? game.version : ""}`);
    if (answer.status === 404) { location.assign("/play"); return; }
    if (problem === silent) problem = "";
    if (answer.status === 200) take(await answer.json());
    else draw();
  } catch { lost(); }
  setTimeout(look, game && game.thinking ? 200 : 1000);
}
look();
