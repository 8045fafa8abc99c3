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

// Plays by itself, a step at a time; from the watching address it goes on with the match that closed last.
const STEP_MS = 700;
const NEXT_MATCH_MS = 4000;
const player = document.getElementById("player");
if (player) {
  const button = player.querySelector("button");
  const watching = new URLSearchParams(location.search).has("watch");
  let playing = false;
  function set(now) {
    playing = now;
    button.textContent = playing ? "Pause" : "Play";
  }
  function tick() {
    let pause = STEP_MS;
    if (playing && !document.hidden && waiting === 0) {
      if (stage.querySelector('[data-key="ArrowRight"]')) {
        then(() => stage.querySelector('[data-key="ArrowRight"]'));
      } else if (watching) {
        pause = NEXT_MATCH_MS;
        setTimeout(() => { if (playing) location.assign(player.dataset.next); }, NEXT_MATCH_MS - STEP_MS);
      } else {
        set(false);
      }
    }
    setTimeout(tick, pause);
  }
  player.hidden = false;
  button.addEventListener("click", () => set(!playing));
  set(watching);
  setTimeout(tick, STEP_MS);
}
