// Steps through a match by key and by click without loading the whole page again. Without it every link works, too.
"use strict";
const stage = document.getElementById("stage");
const KEYS = new Set(["Home", "End", "PageUp", "PageDown", "ArrowLeft", "ArrowRight"]);
const MOST_WAITING = 20;

async function go(address) {
  const response = await fetch(address);
  const fresh = response.ok
    ? new DOMParser().parseFromString(await response.text(), "text/html").getElementById("stage")
    : null;
  if (!fresh) { location.assign(address); return; }
  const focused = document.activeElement?.dataset?.key;
  stage.replaceChildren(...fresh.childNodes);
  if (focused) stage.querySelector(`[data-key="${focused}"]`)?.focus();
  history.replaceState(null, "", address);
}

// One after the other: a key that is pressed twice means two steps, and where the second leads is known after the first.
let last = Promise.resolve();
let waiting = 0;
function then(find) {
  if (waiting >= MOST_WAITING) return;
  waiting += 1;
  last = last.then(() => { const link = find(); return link ? go(link.href) : null; })
    .catch(() => null)  // a server that is away for a moment is asked again by the next key
    .finally(() => { waiting -= 1; });
}

stage.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='?']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  then(() => link);
});

document.addEventListener("keydown", (event) => {
  if (!KEYS.has(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) return;
  event.preventDefault();
  then(() => stage.querySelector(`[data-key="${event.key}"]`));
});
