// follow calls ask when something has changed: the folder of a key, or any for "". What happens while the page is hidden is
// asked for when it is seen again. A browser without shared workers asks from time to time.
export function follow(key, ask) {
  let missed = false;
  const changed = () => { if (document.hidden) missed = true; else ask(); };
  addEventListener("visibilitychange", () => { if (!document.hidden && missed) { missed = false; ask(); } });
  if (!window.SharedWorker) {
    setInterval(changed, 2000);
    return;
  }
  let port = null;
  const join = () => {
    port = new SharedWorker("/static/events.js", "talbot studio").port;
    port.onmessage = (e) => { if (!e.data || !key || e.data === key) changed(); };
  };
  addEventListener("pagehide", () => port.postMessage("gone"));
  addEventListener("pageshow", (e) => { if (e.persisted) { join(); changed(); } });
  join();
}
