// A position or a game with what people of each rating would play. The address keeps the game, the place and the rating.
import { arrow, ground, mark, markMove, men, moveItems, place, showCurrent } from "./board.js";
import { steps } from "./steps.js";

const $ = (id) => document.getElementById(id);
const main = $("main");
const game = JSON.parse(main.dataset.game);
const moves = game.moves || [], last = game.positions.length - 1;
const radios = [...document.querySelectorAll("input[name=elo]")];
const ratings = radios.map((r) => Number(r.value));
const answers = new Map(); // by ply, what is known of a position
let elo = 0; // a place in ratings
let sweeping = false, lost = "";

const at = steps(last, 0, draw, {
  read(p) { elo = Math.max(0, ratings.indexOf(Number(p.get("elo") || main.dataset.elo))); },
  write(p) { if (String(ratings[elo]) !== main.dataset.elo) p.set("elo", ratings[elo]); },
});

const whole = (ply) => answers.get(ply)?.done;
const percent = (share) => (share >= 0.995 ? "100" : share < 0.005 ? "" : String(Math.round(100 * share)));
const points = (cost) => String(Math.round(100 * cost));
function element(name, text, attributes) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
  return e;
}

function draw() {
  const { ply, flipped } = at, fen = game.positions[ply], pieces = men(fen), board = $("drawing"), a = answers.get(ply);
  ground(board, flipped);
  if (ply) markMove(board, moves[ply - 1].uci, flipped);
  if (game.check[ply]) {
    const king = fen.split(" ")[1] === "w" ? "K" : "k";
    for (const s in pieces) if (pieces[s] === king) mark(board, s, "checked", flipped);
  }
  place(board, pieces, flipped);
  const played = moves[ply]?.uci;
  if (a) {
    const likely = [...a.moves].sort((x, y) => y.shares[elo] - x.shares[elo]).slice(0, 4).filter((m) => m.shares[elo] >= 0.05);
    if (played) arrow(board, played, 0.15, flipped, "played");
    for (const m of likely.reverse()) arrow(board, m.uci, Math.min(1, m.shares[elo] * 1.4), flipped, m.traps?.[elo] ? "trap" : "prior");
    if (a.best && !likely.some((m) => m.uci === a.best)) arrow(board, a.best, 0.15, flipped, "best");
  }
  board.setAttribute("aria-label", "Board: " + fen);
  $("fen").textContent = fen;
  $("play").href = "/play?fen=" + encodeURIComponent(fen);
  $("l-played").hidden = !played;
  radios.forEach((r, i) => { r.checked = i === elo; });
  moveList();
  table(a, played);
  words(a);
}

function words(a) {
  const ply = at.ply;
  const turn = game.positions[ply].split(" ")[1] === "w" ? "White" : "Black";
  const where = last ? `Position after ${ply} of ${last} half-moves. ` : "";
  let text = `${turn} to move.`;
  if (lost) text = lost;
  else if (a?.problem) text = a.problem;
  else if (a?.over) text = a.over + ".";
  else if (!a || a.loading) text = "The network is asked…";
  $("status").classList.toggle("error", !!(lost || a?.problem));
  if ($("status").textContent !== where + text) $("status").textContent = where + text;
  let effort = "";
  if (a && !a.done && !a.loading) effort = a.engine ? "the engine searches…" : a.weighed ? "the second network is asked…" : "…";
  else if (a?.engine) effort = `${a.engine}, ${main.dataset.nodes} nodes a move`;
  $("effort").textContent = effort;
}

function table(a, played) {
  document.querySelectorAll("#table thead [data-elo]").forEach((th, i) => th.classList.toggle("now", i === elo));
  const rows = [];
  for (const m of a ? [...a.moves].sort((x, y) => y.shares[elo] - x.shares[elo]) : []) {
    const tr = element("tr"), name = element("th", m.san, { scope: "row" }), cost = element("td");
    if (m.uci === played) name.append(element("small", " played"));
    if (m.cost === null) cost.textContent = a.done ? "–" : "…";
    else cost.textContent = m.uci === a.best ? "best" : points(m.cost);
    if (m.score) cost.append(element("small", " " + m.score));
    if (m.cost !== null && m.cost >= 0.15) cost.classList.add("loses");
    tr.append(name, cost);
    m.shares.forEach((share, i) => tr.append(cell(share, i, m.traps?.[i])));
    rows.push(tr);
  }
  if (rows.length) {
    const tr = element("tr", undefined, { class: "rest" });
    tr.append(element("th", "others", { scope: "row" }), element("td"));
    a.rest.forEach((share, i) => tr.append(cell(share, i, false)));
    rows.push(tr);
  }
  $("rows").replaceChildren(...rows);
  traps(a);
}
function cell(share, i, trap) {
  const td = element("td", percent(share));
  td.style.setProperty("--share", Math.sqrt(share).toFixed(3));
  if (i === elo) td.classList.add("now");
  if (trap) {
    td.classList.add("trap");
    td.append(element("b", "!", { "aria-label": "trap" }));
  }
  return td;
}

// where says at which ratings a move is a trap.
function where(m) {
  const those = ratings.map((r, i) => (m.traps[i] ? i : -1)).filter((i) => i >= 0);
  const share = (i) => `${percent(m.shares[i])} % at ${ratings[i]}`;
  return those.length === 1 ? share(those[0]) : `${share(those[0])} to ${share(those.at(-1))}`;
}
function traps(a) {
  const found = (a?.moves || []).filter((m) => m.traps?.some(Boolean)), list = [];
  for (const m of found) {
    const p = element("p", undefined, { class: "trapline" }), best = a.moves.find((x) => x.uci === a.best);
    p.append(element("b", m.san), ` is played by ${where(m)}. It costs ${points(m.cost)} points: ${m.line}`);
    if (best) p.append("; better is ", element("b", best.san), `: ${best.line}.`);
    list.push(p);
  }
  if (!list.length) {
    let text = "None in this position.";
    if (a?.note) text = a.note;
    else if (!a?.done) text = "Not known yet.";
    list.push(element("p", text));
  }
  $("traps").replaceChildren(...list);
}

function moveList() {
  const items = moves.map((m, i) => {
    const a = answers.get(i), row = a?.moves.find((x) => x.uci === m.uci);
    let note = row ? `${percent(row.shares[elo]) || "<1"} %` : "";
    if (row?.traps?.[elo]) note += " trap";
    return { san: m.san, note };
  });
  const key = at.ply + JSON.stringify(items);
  if ($("moves").dataset.key === key) return;
  $("moves").dataset.key = key;
  $("moves").replaceChildren(...moveItems(game.positions[0], items, at.ply, at.go));
  showCurrent($("moves"));
  found();
}

// found lists the positions of the game that have traps, as far as they were looked at.
function found() {
  if (!$("found")) return;
  const list = [];
  for (let ply = 0; ply <= last; ply++) {
    for (const m of answers.get(ply)?.moves || []) {
      if (!m.traps?.some(Boolean)) continue;
      const fields = game.positions[ply].split(" "), b = element("button", `${fields[5]}${fields[1] === "w" ? "." : "…"} ${m.san}`, { type: "button" });
      b.addEventListener("click", () => at.go(ply));
      const li = element("li");
      li.append(b, ` ${where(m)}, costs ${points(m.cost)}${moves[ply]?.uci === m.uci ? ", and was played" : ""}`);
      list.push(li);
    }
  }
  $("found").replaceChildren(...list);
  const done = [...answers.values()].filter((a) => a.done).length;
  if (sweeping || done > last) $("progress").textContent = `${done} of ${last + 1} positions looked at` + (done > last && !list.length ? ": no traps" : "");
  $("sweep").textContent = sweeping ? "Stop" : "Look for traps in the whole game";
  $("sweep").disabled = done > last;
}

function rate(to) {
  elo = Math.max(0, Math.min(ratings.length - 1, to));
  $("moves").dataset.key = "";
  at.write();
}

// One position is asked about at a time: the one that is looked at, or else the next one of the game.
function wanted() {
  if (document.hidden && !sweeping) return null;
  if (!whole(at.ply)) return at.ply;
  if (!sweeping) return null;
  for (let ply = 0; ply <= last; ply++) if (!whole(ply)) return ply;
  sweeping = false;
  found();
  return null;
}
async function look() {
  const ply = wanted();
  if (ply !== null) {
    const q = new URLSearchParams(location.search);
    q.set("ply", ply);
    q.set("page", main.dataset.page);
    q.set("since", answers.get(ply)?.version ?? "");
    try {
      const answer = await fetch("/people/analysis?" + q);
      lost = "";
      if (answer.status === 200) answers.set(ply, await answer.json());
      else if (answer.status !== 204) lost = (await answer.text()).trim();
    } catch { lost = "talbot studio does not answer. Start it again, and open the address that it prints."; }
    if (lost) sweeping = false;
    at.draw();
    if (sweeping) found();
  }
  setTimeout(look, lost ? 2000 : ply !== null && whole(ply) ? 30 : 250);
}

$("sweep")?.addEventListener("click", () => { sweeping = !sweeping; found(); });
radios.forEach((r, i) => r.addEventListener("change", () => rate(i)));
addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key >= "1" && e.key <= String(ratings.length)) rate(Number(e.key) - 1);
});
at.draw();
look();
