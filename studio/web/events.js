// A worker that all pages of a browser share: one stream tells it which folders have changed, so that any number of pages
// can live, though a browser opens six connections to a server.
const ports = new Set();
let source = null;

onconnect = (e) => {
  const port = e.ports[0];
  ports.add(port);
  port.onmessage = () => { // the page is gone
    ports.delete(port);
    if (!ports.size) { source?.close(); source = null; }
  };
  if (source) { port.postMessage(""); return; } // something may have been missed
  source = new EventSource("/events");
  source.onmessage = (event) => { for (const p of ports) p.postMessage(event.data); };
  source.onopen = () => { for (const p of ports) p.postMessage(""); };
};
