// The labeling page, first part: what is on the desk, what was typed there, and how long it took.
// Without these files the page still works by its forms.
"use strict";

const row = () => document.getElementById("row");
const form = () => document.getElementById("decision");
const heading = () => document.getElementById("row-heading");
const trouble = () => document.getElementById("trouble");

// ---- When something was not saved ---------------------------------------------------------------------------

const SENTENCES = {
  "-1": "Not saved – something else than Vera answered, such as the login page of a network. What you typed is kept.",
  0: "Not saved – no connection. What you typed is kept.",
  400: "Not saved: the row on this page is not what the server expects. What you typed is kept.",
  401: "You are logged out, so this was not saved. What you typed is kept. Log in again; or do so in another tab, then retry here.",
  403: "Not saved: this page is older than your login. What you typed is kept.",
  404: "Not saved: you are no longer a member of this criteria set. What you typed is kept.",
};

function report(status, retry) {
  if (status === 422) return say("Not saved as a draft: a mark or the comment is not acceptable yet.");
  const sentence = SENTENCES[status] ?? `Not saved – the server could not do it just now (${status}). What you typed is kept.`;
  const links = { 400: ["Load the page again", location.href], 401: ["Log in again", trouble().dataset.login], 403: ["Load the page again", location.href] };
  complain(sentence, status === 400 || status === 404 ? null : retry, links[status]);
}

// The row is no longer theirs, or the page another's: the server's own sentence says which.
function refuse(sentence) {
  complain(`${sentence} What you typed is kept.`, null, ["Go on", location.pathname]);
}

function complain(sentence, retry, link) {
  const words = document.createElement("span");
  words.textContent = sentence;
  trouble().replaceChildren(words);
  if (link) {
    const anchor = document.createElement("a");
    [anchor.textContent, anchor.href] = link;
    trouble().append(anchor);
  }
  if (retry) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Retry";
    button.addEventListener("click", () => retry());
    trouble().append(button);
  }
  trouble().hidden = false;
  say("");
}

function calm() {
  trouble().hidden = true;
}

function say(text) {
  const line = document.getElementById("saved");
  if (line) line.textContent = text;
}

// A login in another tab gives this browser a new token; with the old one everything would be refused for good.
function freshToken() {
  const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];
  if (!token) return;
  document.querySelectorAll("input[name=csrfmiddlewaretoken]").forEach((field) => { field.value = token; });
  document.body.setAttribute("hx-headers", JSON.stringify({ "x-csrftoken": token }));
}

function send(address, options = {}) {
  freshToken();
  const body = new URLSearchParams(new FormData(form()));
  return fetch(address, { method: "POST", body, headers: { "HX-Request": "true" }, ...options });
}

// ---- What was typed, kept in this browser ----------------------------------------------------------------

const DRAFTS = "vera-draft:";
let unkept = false; // neither this browser nor the server has what was typed last

function storageKey() {
  const fields = form()?.elements;
  return fields ? `${DRAFTS}${row().dataset.labeler}:${fields.version.value}:${fields.candidate.value}` : "";
}

function typed() {
  const kept = {};
  for (const [name, value] of new FormData(form())) {
    if (name === "comment" || name.startsWith("mark-")) kept[name] = value;
  }
  return JSON.stringify(kept);
}

// What this browser holds of a row: what was typed, and when the server saved just that (0: not yet).
function remember(key, text, saved = 0) {
  const kept = put(key, JSON.stringify({ text, saved })) || (makeRoom(key) && put(key, JSON.stringify({ text, saved })));
  unkept = !kept && !saved;
}
function put(key, text) {
  try { localStorage.setItem(key, text); return true; } catch { return false; }
}
// A full browser lets go of drafts that the server has.
function makeRoom(key) {
  try {
    const drafts = Object.keys(localStorage).filter((each) => each.startsWith(DRAFTS) && each !== key);
    drafts.filter((each) => recall(each)?.saved).forEach(forget);
    return true;
  } catch { return false; }
}
function recall(key) {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}
function forget(key) {
  try { localStorage.removeItem(key); } catch { /* nothing was kept */ }
}

window.addEventListener("beforeunload", (event) => { if (unkept) event.preventDefault(); });

// ---- Drafts, kept by the server ---------------------------------------------------------------------------

const TYPING_PAUSE = 800;
let timer = 0;
let sending = null; // the draft's request under way
let undecided = false; // a decision failed to be saved: its message stays until one gets through

function saveSoon() {
  clearTimeout(timer);
  timer = setTimeout(() => save(), TYPING_PAUSE);
}

function stopSaving() {
  clearTimeout(timer);
  timer = 0;
  sending?.abort();
}

async function save(leaving = false) {
  stopSaving();
  if (!form()) return;
  const [key, text] = [storageKey(), typed()];
  sending = new AbortController();
  const { signal } = sending;
  let saved;
  try {
    const answer = await send(form().dataset.draft, { signal, keepalive: leaving });
    if (answer.status === 409) return refuse(await answer.text());
    if (answer.status !== 204) return undecided || report(answer.ok ? -1 : answer.status, save);
    saved = answer.headers.get("Draft-Saved");
  } catch {
    return signal.aborted || undecided || report(0, save);
  }
  if (form() && key === storageKey() && text === typed()) unkept = false;
  if (recall(key)?.text === text) remember(key, text, Number(saved));
  if (!undecided) calm();
  if (key === storageKey()) say("Draft saved.");
}

function restore() {
  const kept = form() && recall(storageKey());
  if (!kept || kept.text === typed()) return;
  // A page that was made after the server saved it, or saved something newer from elsewhere, knows better.
  if (kept.saved && kept.saved <= Number(form().dataset.drafted)) return;
  for (const [name, value] of Object.entries(JSON.parse(kept.text))) {
    const field = form().elements[name];
    if (field) field.value = value;
  }
  say("What you typed before is back.");
  saveSoon();
}

document.addEventListener("input", (event) => {
  if (event.target.form !== form() || !form()) return;
  remember(storageKey(), typed());
  say("");
  saveSoon();
});
window.addEventListener("online", () => { if (form() && recall(storageKey())?.saved === 0) save(); });
window.addEventListener("pagehide", () => { if (timer) save(true); });

// ---- Time on the row, and keeping the row meanwhile --------------------------------------------------------

const IDLE_AFTER = 60_000; // who touches nothing for so long is not at work; reading takes a while
let idle = 0; // milliseconds
let touchedAt = Date.now();
let hiddenAt = 0;
let heldAt = Date.now();

function touch() {
  if (hiddenAt) return;
  const now = Date.now();
  idle += Math.max(0, now - touchedAt - IDLE_AFTER);
  touchedAt = now;
  holdSoon();
}

function seen() {
  const now = Date.now();
  if (document.hidden) {
    touch();
    hiddenAt = now;
  } else if (hiddenAt) {
    idle += now - hiddenAt;
    [hiddenAt, touchedAt] = [0, now];
    if (form()) hold(); // it may have been decided in another tab meanwhile
  }
}

function noteIdle() {
  touch();
  if (form()) form().elements.idle.value = Math.round(idle / 1000);
}

function startClock() {
  const before = Number(form()?.elements.idle.value) || 0; // a row that came back with an error
  [idle, touchedAt, heldAt] = [before * 1000, Date.now(), Date.now()];
}

// Renewed at a third of the lease while somebody is there; who is away for a lease lets go of the row.
const lease = () => Number(form().dataset.lease) * 1000;

function holdSoon() {
  if (form() && Date.now() - heldAt >= lease() / 3) hold();
}

async function hold() {
  if (document.hidden || row().hasAttribute("aria-busy") || Date.now() - touchedAt > lease()) return;
  heldAt = Date.now();
  const key = storageKey();
  try {
    const answer = await send(form().dataset.hold);
    if (key !== storageKey() || row().hasAttribute("aria-busy")) return; // decided meanwhile
    if (answer.status === 409) refuse(await answer.text());
    else if (answer.status === 401) report(401, save);
  } catch { /* the next one, or the decision itself, finds out */ }
}

for (const kind of ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "focusin", "touchstart"])
  document.addEventListener(kind, touch, { capture: true, passive: true });
document.addEventListener("visibilitychange", seen);
setInterval(holdSoon, 5_000);
