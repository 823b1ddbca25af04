// Shows what appears, grows or vanishes, as long as somebody looks.
import { follow } from "./follow.js";

const list = document.getElementById("list");
let shown = "";

async function look() {
  try {
    const answer = await fetch("/list" + location.search);
    const text = await answer.text();
    if (!answer.ok || text === shown || list.contains(document.activeElement)) return; // what is focused stays
    shown = list.innerHTML = text;
  } catch { /* the server is gone; the page stays as it is */ }
}
follow(look);
