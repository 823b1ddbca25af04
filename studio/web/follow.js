// follow calls ask every second while the page is seen, and at once when it is seen again.
export function follow(ask) {
  const look = () => { if (!document.hidden) ask(); };
  setInterval(look, 1000);
  addEventListener("visibilitychange", look);
}
