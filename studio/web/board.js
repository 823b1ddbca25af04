// Boards drawn as SVG, and lists of moves. Squares are named as in "e4"; black says that Black is at the bottom.
const svgNS = "http://www.w3.org/2000/svg";
export const side = 45;
export const names = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

export const fileOf = (s) => s.charCodeAt(0) - 97;
export const rankOf = (s) => Number(s[1]) - 1;
export function corner(s, black) {
  return [(black ? 7 - fileOf(s) : fileOf(s)) * side, (black ? rankOf(s) : 7 - rankOf(s)) * side];
}
export function squareAt(column, row, black) {
  return black ? "hgfedcba"[column] + (row + 1) : "abcdefgh"[column] + (8 - row);
}
// men are the pieces of a FEN by square, in its letters.
export function men(fen) {
  const found = {};
  fen.split(" ")[0].split("/").forEach((row, i) => {
    let file = 0;
    for (const c of row) {
      if (c >= "1" && c <= "8") { file += Number(c); continue; }
      found["abcdefgh"[file++] + (8 - i)] = c;
    }
  });
  return found;
}

export function add(parent, name, attributes) {
  const e = document.createElementNS(svgNS, name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  parent.append(e);
  return e;
}
// ground draws the squares and their names.
export function ground(board, black) {
  board.replaceChildren();
  add(board, "use", { href: "#board" });
  const tone = (s) => "on-" + ((fileOf(s) + rankOf(s)) % 2 === 0 ? "dark" : "light");
  for (let i = 0; i < 8; i++) {
    const rank = squareAt(0, i, black), file = squareAt(i, 7, black);
    add(board, "text", { class: tone(rank), x: 2, y: i * side + 11 }).textContent = rank[1];
    add(board, "text", { class: tone(file), x: i * side + side - 3, y: 8 * side - 3, "text-anchor": "end" }).textContent = file[0];
  }
}
export function mark(board, s, kind, black) {
  const [x, y] = corner(s, black);
  add(board, "rect", { class: kind, x, y, width: side, height: side });
}
export function markMove(board, uci, black) {
  if (!uci) return;
  mark(board, uci.slice(0, 2), "mark", black);
  mark(board, uci.slice(2, 4), "mark", black);
}
export function piece(board, c, x, y, kind = "") {
  add(board, "use", { href: "#" + c.toLowerCase(), class: kind + (c < "a" ? "white" : "black"), x, y });
}
export function place(board, pieces, black) {
  for (const s in pieces) piece(board, pieces[s], ...corner(s, black));
}
// arrow draws a move, thick and dark by its share of 1.
export function arrow(board, uci, share, black, kind = "prior") {
  const [x1, y1] = corner(uci.slice(0, 2), black), [x2, y2] = corner(uci.slice(2, 4), black);
  const length = Math.hypot(x2 - x1, y2 - y1), dx = (x2 - x1) / length, dy = (y2 - y1) / length;
  const width = 2 + 8 * share, head = 7 + 6 * share, cx = side / 2;
  const ex = x2 + cx - dx * head, ey = y2 + cx - dy * head;
  const g = add(board, "g", { opacity: 0.35 + 0.5 * share, class: kind });
  add(g, "line", { class: "shaft", x1: x1 + cx + dx * 8, y1: y1 + cx + dy * 8, x2: ex, y2: ey, "stroke-width": width });
  add(g, "path", { class: "head", d: `M${x2 + cx} ${y2 + cx}L${ex - dy * head * .7} ${ey + dx * head * .7}L${ex + dy * head * .7} ${ey - dx * head * .7}z` });
}

// moveItems are the items of a list of moves, {san, note}, that begins at a position; at is how many of them are
// played, and go(n) is called for the position after n of them.
export function moveItems(start, moves, at, go) {
  const fields = start.split(" "), items = [];
  let number = Number(fields[5]), black = fields[1] === "b", li = null;
  moves.forEach((m, i) => {
    if (!li || !black) {
      li = document.createElement("li");
      const n = document.createElement("span");
      n.textContent = number + ".";
      li.append(n);
      if (black) li.append(Object.assign(document.createElement("span"), { textContent: "…" }));
      items.push(li);
    }
    const b = document.createElement("button");
    b.type = "button";
    b.textContent = m.san;
    if (m.note) {
      const note = document.createElement("small");
      note.textContent = m.note;
      b.append(" ", note);
    }
    if (i + 1 === at) b.setAttribute("aria-current", "true");
    b.addEventListener("click", () => go(i + 1));
    li.append(b);
    if (black) number++;
    black = !black;
  });
  if (li && black) li.append(document.createElement("span"));
  return items;
}
// showCurrent scrolls a list, and nothing else, to its present move.
export function showCurrent(list) {
  const current = list.querySelector("[aria-current]");
  const row = current?.offsetHeight; // no row is cut at the top
  if (current) list.scrollTop = row * Math.round((current.offsetTop - list.offsetTop - list.clientHeight / 2) / row);
  else list.scrollTop = 0;
}
