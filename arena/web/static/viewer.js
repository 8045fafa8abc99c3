// Steps through a match by key and by click without loading the whole page again. Without it every link works, too.
"use strict";
const stage = document.getElementById("stage");
let latest = 0;

async function go(address, remember) {
  const mine = ++latest;
  const response = await fetch(address);
  if (!response.ok) { location.assign(address); return; }
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("stage");
  if (mine !== latest || !fresh) return;
  const focused = document.activeElement?.dataset?.key;
  stage.replaceChildren(...fresh.childNodes);
  if (focused) stage.querySelector(`[data-key="${focused}"]`)?.focus();
  if (remember) history.replaceState(null, "", address);
}

stage.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='?']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.href, true);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const link = stage.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!link) return;
  event.preventDefault();
  go(link.href, true);
});
