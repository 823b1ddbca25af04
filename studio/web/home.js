// Shows what appears, grows or vanishes, as long as somebody looks.
const list = document.getElementById("list");
let shown = "";

async function look() {
  if (!document.hidden) {
    try {
      const answer = await fetch("/list");
      const text = await answer.text();
      if (answer.ok && text !== shown) {
        if (shown && !list.contains(document.activeElement)) list.innerHTML = text;
        if (!list.contains(document.activeElement)) shown = text;
        else if (!shown) shown = text;
      }
    } catch { /* the server is gone; the page stays as it is */ }
  }
  setTimeout(look, 2000);
}
look();
