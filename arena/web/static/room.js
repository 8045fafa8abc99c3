// Keeps a room as it is now, counts the time of a turn down and that of others up, and sends choices without loading the
// page again. Without it every form and link works, too.
"use strict";
const stage = document.getElementById("stage");
const heard = document.getElementById("heard");
const title = document.title;
let deadline = 0;
let shown = performance.now();
let acted = false;
const leaving = new AbortController();

function settle() {
  shown = performance.now();
  deadline = stage.dataset.left ? performance.now() + Number(stage.dataset.left) : 0;
  document.title = deadline ? `● ${title}` : title;
  if (heard.textContent !== stage.dataset.said) heard.textContent = stage.dataset.said;
  tick();
}

function tick() {
  const waited = document.getElementById("waited");
  if (waited) waited.textContent = Math.floor((performance.now() - shown + Number(waited.dataset.ms)) / 1000);
  const left = document.getElementById("left");
  if (left && deadline) left.textContent = Math.max(0, Math.ceil((deadline - performance.now()) / 1000));
}

function show(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("stage");
  if (!fresh) { location.reload(); return; }
  if (fresh.dataset.now === stage.dataset.now) return;
  const focused = document.activeElement?.dataset?.key;
  const opened = new Map([...stage.querySelectorAll("details[data-kept]")].map((one) => [one.dataset.kept, one.open]));
  const playing = stage.querySelector("#result") === null;
  stage.replaceChildren(...fresh.childNodes);
  for (const name of ["now", "said", "left"]) {
    if (name in fresh.dataset) stage.dataset[name] = fresh.dataset[name];
    else delete stage.dataset[name];
  }
  // What was opened or closed by hand stays so, until there is a result to be seen.
  if (playing === (stage.querySelector("#result") === null)) {
    for (const one of stage.querySelectorAll("details[data-kept]")) one.open = opened.get(one.dataset.kept) ?? one.open;
  }
  const back = focused && stage.querySelector(`[data-key="${focused}"]`);
  if (back) back.focus();
  // Who chose here goes on here, also by keyboard.
  else if (acted && document.activeElement === document.body) stage.querySelector(".choices button")?.focus();
  settle();
}

async function follow() {
  while (!leaving.signal.aborted) {
    try {
      const response = await fetch(`${location.pathname}/state?after=${stage.dataset.now}`, { signal: leaving.signal });
      if (leaving.signal.aborted) return;
      if (response.ok) { show(await response.text()); continue; }
      // The seat was lost, or the room is gone: the page says so.
      if (response.status < 500 && response.status !== 429) { location.reload(); return; }
    } catch {
      // The server is away for a moment, and is asked again.
    }
    await new Promise((resolve) => setTimeout(resolve, 3000));
  }
}

stage.addEventListener("submit", async (event) => {
  const form = event.target;
  // Any other form leads to a page of its own, and what comes of it here must not get in its way.
  if (!("live" in form.dataset)) { leaving.abort(); return; }
  event.preventDefault();
  acted = true;
  // Not form.action, which is the button of that name.
  const body = new URLSearchParams(new FormData(form, event.submitter));
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  try {
    const response = await fetch(form.getAttribute("action"), { method: "POST", body });
    if (response.ok) { show(await response.text()); return; }
  } catch {
    // As below.
  }
  location.reload();
});

setInterval(tick, 250);
settle();
follow();
