// Steps through the positions of a line by buttons, keys and the address, which keeps the place.
const $ = (id) => document.getElementById(id);

// steps calls draw when the place changes: ply, from 0 to last, or flipped. Without a place in the address it is start.
// What else the address keeps is read and written by more, and changed before at.write().
export function steps(last, start, draw, more = {}) {
  const at = { ply: start, flipped: false, go, write, draw: drawAll };
  function read() {
    const p = new URLSearchParams(location.hash.slice(1));
    at.ply = p.has("ply") ? Math.max(0, Math.min(last, Number(p.get("ply")) || 0)) : start;
    at.flipped = p.get("flip") === "1";
    more.read?.(p);
  }
  function write() {
    const p = new URLSearchParams();
    if (at.ply !== start) p.set("ply", at.ply);
    more.write?.(p);
    if (at.flipped) p.set("flip", "1");
    history.replaceState(null, "", p.size ? "#" + p : location.pathname + location.search);
    drawAll();
  }
  function drawAll() {
    $("first").disabled = $("prev").disabled = at.ply === 0;
    $("next").disabled = $("last").disabled = at.ply === last;
    draw();
  }
  function go(to) {
    at.ply = Math.max(0, Math.min(last, to));
    write();
  }
  $("first").addEventListener("click", () => go(0));
  $("prev").addEventListener("click", () => go(at.ply - 1));
  $("next").addEventListener("click", () => go(at.ply + 1));
  $("last").addEventListener("click", () => go(last));
  $("flip").addEventListener("click", () => { at.flipped = !at.flipped; write(); });
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches?.("input, select")) return;
    const step = { ArrowLeft: at.ply - 1, ArrowRight: at.ply + 1, Home: 0, End: last }[e.key];
    if (step !== undefined) { e.preventDefault(); go(step); }
    else if (e.key === "f") $("flip").click();
    else if (e.key === "[" || e.key === "p") $("before")?.click();
    else if (e.key === "]" || e.key === "n") $("after")?.click();
  });
  addEventListener("hashchange", () => { read(); drawAll(); });
  read();
  return at;
}
