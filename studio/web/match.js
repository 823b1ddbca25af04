// Shows games as they end, as long as somebody looks.
import { follow } from "./follow.js";

const main = document.getElementById("main"), live = document.getElementById("live");
let version = main.dataset.version;

// The form needs no button where there are scripts; the address says what is shown.
function choose() {
  const show = document.getElementById("show");
  if (!show) return;
  show.form.querySelector("button").hidden = true;
  show.addEventListener("change", () => show.form.submit());
}
choose();

async function look() {
  const focused = () => live.contains(document.activeElement); // what is focused stays
  if (focused()) return;
  try {
    const query = new URLSearchParams(location.search);
    query.set("since", version);
    const answer = await fetch(location.pathname + "/live?" + query);
    if (answer.status !== 200) return;
    const text = await answer.text();
    if (focused()) return;
    version = answer.headers.get("Version");
    live.innerHTML = text;
    choose();
  } catch { /* the server is gone; the page stays as it is */ }
}
follow(look);
