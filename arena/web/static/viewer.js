// Steps through a match by key and by click without loading the whole page again. Without it every link works, too.
"use strict";
const stage = document.getElementById("stage");
const MOST_WAITING = 20;

async function go(address) {
  const response = await fetch(address);
  // What was watched is over, and goes on where all matches are.
  if (response.redirected) { location.assign(response.url); return; }
  const fresh = response.ok
    ? new DOMParser().parseFromString(await response.text(), "text/html").getElementById("stage")
    : null;
  if (!fresh) { location.assign(address); return; }
  if (fresh.innerHTML === stage.innerHTML) return;
  const focused = document.activeElement?.dataset?.key;
  // What was opened or closed by hand stays so, and a table that was scrolled.
  const opened = new Map([...stage.querySelectorAll("details[data-kept]")].map((one) => [one.dataset.kept, one.open]));
  const scrolled = [...stage.querySelectorAll(".scroll")].map((one) => [one.getAttribute("aria-label"), one.scrollLeft]);
  const ended = stage.querySelector("#result");
  stage.replaceChildren(...fresh.childNodes);
  const over = stage.querySelector("#result");
  for (const one of stage.querySelectorAll("details[data-kept]")) {
    if (Boolean(over) === Boolean(ended)) one.open = opened.get(one.dataset.kept) ?? one.open;
  }
  for (const [label, left] of scrolled) {
    const same = label && stage.querySelector(`.scroll[aria-label="${CSS.escape(label)}"]`);
    if (same) same.scrollLeft = left;
  }
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
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  if (event.key === "?") {
    const keys = document.getElementById("keys");
    keys.open = !keys.open;
    if (keys.open) keys.scrollIntoView({ block: "nearest" });
    return;
  }
  const find = () => stage.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  // A key moves the page as ever where the stage has no use for it; one that stands at the edge has.
  if (!find() && !stage.querySelector(`[data-edge~="${CSS.escape(event.key)}"]`)) return;
  event.preventDefault();
  then(find);
});

// Plays by itself, a step at a time. Who watches sees more as deals close, and then the next match.
const STEP_MS = 700;
const MORE_MS = 2000;
const NEXT_MATCH_MS = 4000;
const player = document.getElementById("player");
if (player) {
  const button = player.querySelector("button");
  const watching = "live" in player.dataset || new URLSearchParams(location.search).has("watch");
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
      } else if (stage.querySelector("[data-more]")) {
        pause = MORE_MS;
        then(() => location);
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
