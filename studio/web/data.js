// Samples of a dataset, as they are found. The address says what is shown.
import { follow } from "./follow.js";

const main = document.getElementById("main"), live = document.getElementById("live"), form = document.getElementById("filter");
let version = main.dataset.version;

if (!form) { // it is not finished, or cannot be read
  follow(async () => {
    try {
      const answer = await fetch(location.pathname + "/live?since=" + version);
      if (answer.status === 200) location.reload();
    } catch { /* the server is gone; the page stays as it is */ }
  });
}

// On a small screen the samples come first.
const fold = form?.closest("details");
if (fold && innerWidth <= 560) fold.open = false;

// An address has only what is chosen.
form?.addEventListener("formdata", (e) => {
  for (const [name, value] of [...e.formData.entries()]) if (!value.trim()) e.formData.delete(name);
});
form?.addEventListener("change", (e) => { if (e.target.matches("select")) form.requestSubmit(); });

addEventListener("keydown", (e) => {
  if (e.target.matches("input, select") || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === "ArrowLeft") document.getElementById("before")?.click();
  else if (e.key === "ArrowRight") document.getElementById("next")?.click();
  else if (e.key === "/" && form) { e.preventDefault(); fold.open = true; form.player.focus(); }
});

async function look() {
  const count = live.querySelector(".count");
  if (!count || count.dataset.done === "true" || live.querySelector(".notice")) return;
  if (!document.hidden) {
    try {
      const q = new URLSearchParams(location.search);
      q.set("since", version);
      const answer = await fetch(location.pathname + "/live?" + q);
      if (answer.status === 200) {
        version = answer.headers.get("Version");
        const part = document.createElement("div");
        part.innerHTML = await answer.text();
        // What is read or focused stays where it is as long as it is the same.
        const boards = live.querySelector(".samples"), next = part.querySelector(".samples");
        if (boards && next && boards.innerHTML === next.innerHTML) next.replaceWith(boards);
        live.replaceChildren(...part.childNodes);
      }
    } catch { /* the server is gone; the page stays as it is */ }
  }
  setTimeout(look, 700);
}
setTimeout(look, 300);
