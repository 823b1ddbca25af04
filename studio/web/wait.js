// Waits for what takes a while: statistics of a dataset, a comparison of runs, a review.
const main = document.getElementById("main"), live = document.getElementById("live");
let version = main.dataset.version;
function query() {
  const q = new URLSearchParams(location.search);
  q.set("since", version);
  return q;
}

async function look() {
  if (!document.getElementById("waiting")) return;
  if (!document.hidden) {
    try {
      const answer = await fetch(location.pathname + "/live?" + query());
      if (answer.status === 200) {
        version = answer.headers.get("Version");
        live.innerHTML = await answer.text();
      }
    } catch { /* the server is gone; the page stays as it is */ }
  }
  setTimeout(look, 700);
}
setTimeout(look, 300);
