// Shared behaviour of every page. Pages work without it.
"use strict";

// ---- Times are those of the reader's zone -------------------------------------------------------------------

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// The server writes times in the zone that this cookie names; what it wrote before it knew is corrected here.
function tellZone() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (timeZone) document.cookie = `zone=${timeZone}; path=/; max-age=31536000; samesite=lax`;
}

function localTimes() {
  document.querySelectorAll("time[datetime]").forEach((element) => {
    const moment = new Date(element.dateTime);
    if (Number.isNaN(moment.valueOf())) return;
    element.title = moment.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });
    if (!element.textContent.endsWith(" UTC")) return;
    const two = (number) => String(number).padStart(2, "0");
    const day = `${moment.getDate()} ${MONTHS[moment.getMonth()]} ${moment.getFullYear()}`;
    element.textContent = `${day}, ${two(moment.getHours())}:${two(moment.getMinutes())}`;
  });
}

// ---- What was sent says that it is at work, and is sent once ------------------------------------------------

// Sooner than this an answer is there before anybody wonders.
const PATIENCE = 400;
const working = new Map(); // form -> how to end its waiting

function wait(form, button) {
  if (!button || working.has(form)) return;
  const words = button.dataset.busy ?? "Working…";
  const [label, width] = [[...button.childNodes], button.offsetWidth];
  const began = performance.now();
  const show = () => {
    const seconds = Math.round((performance.now() - began) / 1000);
    button.replaceChildren(words + (seconds > 2 ? ` ${seconds} s` : ""));
  };
  let ticking = 0;
  const patience = setTimeout(() => {
    button.setAttribute("aria-busy", "true");
    button.style.minWidth = `${width}px`;
    document.getElementById("working").textContent = words;
    show();
    ticking = setInterval(show, 1000);
  }, PATIENCE);
  button.setAttribute("aria-disabled", "true");
  working.set(form, () => {
    clearTimeout(patience);
    clearInterval(ticking);
    if (button.hasAttribute("aria-busy")) button.replaceChildren(...label);
    button.style.minWidth = "";
    button.removeAttribute("aria-busy");
    button.removeAttribute("aria-disabled");
    document.getElementById("working").textContent = "";
  });
}

function rest(form) {
  working.get(form)?.();
  working.delete(form);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post") return; // htmx sends its own, once
  if (working.has(form)) { event.preventDefault(); return; }
  wait(form, event.submitter ?? form.querySelector("button[type=submit]"));
  if ("download" in form.dataset) awaitDownload(form);
});

// A download leaves the page where it is: the answer brings a cookie that says it has begun.
function awaitDownload(form) {
  const token = String(Date.now());
  const field = form.querySelector("input[name=began]") ?? document.createElement("input");
  Object.assign(field, { type: "hidden", name: "began", value: token });
  form.append(field);
  const looking = setInterval(() => {
    if (!document.cookie.split("; ").includes(`began=${token}`)) return;
    clearInterval(looking);
    rest(form);
  }, 250);
}

document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  const by = detail.elt;
  const button = by.matches("a, button") ? by : detail.requestConfig.triggeringEvent?.submitter;
  wait(by, button);
});
document.addEventListener("htmx:afterRequest", ({ detail }) => rest(detail.elt));

// Coming back by the browser's own button, the page is as it was left: waiting.
window.addEventListener("pageshow", () => [...working.keys()].forEach(rest));

// ---- Where one is, and what is wrong ------------------------------------------------------------------------

// In a row of tabs that is wider than the screen, the current one is in sight.
function showCurrentTab() {
  document.querySelectorAll(".tabs [aria-current], .sections [aria-current]").forEach((tab) => {
    const row = tab.closest(".tabs ul, .tabs, .sections");
    // Only where it is out of sight: a row that starts at its first tab starts with a whole word.
    if (tab.offsetLeft - row.offsetLeft + tab.offsetWidth > row.clientWidth - 32)
      row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  });
}

// A refused form opens at the first field that is wrong.
function focusFirstError() {
  const wrong = document.querySelector("#main [aria-invalid=true]") ?? document.querySelector("#main .errorlist.nonfield");
  if (!wrong) return;
  if (wrong.matches("ul")) wrong.tabIndex = -1;
  wrong.focus();
}

tellZone();
document.addEventListener("DOMContentLoaded", () => {
  localTimes();
  showCurrentTab();
  focusFirstError();
});
document.addEventListener("htmx:afterSwap", localTimes);
