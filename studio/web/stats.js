// Waits until a dataset is counted.
const main = document.getElementById("main"), live = document.getElementById("live");
let version = main.dataset.version;

async function look() {
  if (!document.getElementById("waiting")) return;
  if (!document.hidden) {
    try {
      const answer = await fetch(location.pathname + "/live?since=" + encodeURIComponent(version));
      if (answer.status === 200) {
        version = answer.headers.get("Version");
        live.innerHTML = await answer.text();
      }
    } catch { /* the server is gone; the page stays as it is */ }
  }
  setTimeout(look, 700);
}
setTimeout(look, 300);
