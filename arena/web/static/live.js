// Asks for this page again while something on it goes on, and changes what has changed: whoever reads, types or has opened
// something is not disturbed. Stops when the page says so, and asks seldom where nobody looks or the server is busy.
"use strict";

// Makes an element what the fresh one is, and keeps its own nodes where it can. What has an id is found by it.
function renew(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== Node.ELEMENT_NODE || old.nodeName !== fresh.nodeName) {
    old.replaceWith(fresh);
    return;
  }
  for (const name of new Set([...old.getAttributeNames(), ...fresh.getAttributeNames()])) {
    // Whether details are open is the reader's.
    if (name === "open") continue;
    if (fresh.hasAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
    else old.removeAttribute(name);
  }
  let next = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const known = child.id ? [...old.children].find((one) => one.id === child.id) : next?.id ? null : next;
    if (!known) {
      old.insertBefore(child, next);
      continue;
    }
    if (known !== next) {
      // What stood before it and is not there any more goes, so that it keeps its place.
      while (next && next !== known && !keeps(next, fresh)) next = gone(next);
      if (known !== next) old.insertBefore(known, next);
    }
    next = known.nextSibling;
    renew(known, child);
  }
  while (next) next = gone(next);
}

function keeps(node, fresh) {
  return Boolean(node.id) && [...fresh.children].some((one) => one.id === node.id);
}

function gone(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

async function refresh() {
  const live = document.getElementById("live");
  if (!live?.dataset.live) return;
  let pause = Number(live.dataset.live);
  if (!document.hidden) {
    try {
      const response = await fetch(location.href);
      if (response.redirected) {
        location.assign(response.url);
        return;
      }
      if (response.ok) {
        const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("live");
        if (fresh) renew(live, fresh);
      } else {
        pause *= 5;
      }
    } catch {
      // The server is away for a moment, and is asked again.
      pause *= 5;
    }
  }
  setTimeout(refresh, pause);
}
setTimeout(refresh, Number(document.getElementById("live")?.dataset.live ?? 0) / 2);
