// Asks for this page again while something on it goes on, and shows what has changed. Stops when the page says so.
"use strict";
async function refresh() {
  const old = document.getElementById("live");
  if (!old?.dataset.live) return;
  if (!document.hidden) {
    try {
      const response = await fetch(location.href);
      if (response.redirected) { location.assign(response.url); return; }
      if (response.ok) {
        const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("live");
        if (fresh) old.replaceWith(fresh);
      }
    } catch {
      // The server is away for a moment, and is asked again.
    }
  }
  setTimeout(refresh, Number(old.dataset.live));
}
setTimeout(refresh, 1000);
