// The labeling page: keys, drafts that outlive a lost connection, and focus that moves with the row.
// Without this file the page still works by its forms.
"use strict";
(() => {
  // A second press within this time was meant for the row before.
  const DOUBLE_PRESS = 350;
  const TYPING_PAUSE = 800;

  const row = () => document.getElementById("row");
  const form = () => document.getElementById("decision");
  const heading = () => document.getElementById("row-heading");
  const trouble = () => document.getElementById("trouble");

  let shownAt = -Infinity;
  let timer = 0;
  let sending = null; // the draft's request under way
  let decided = ""; // storage key of the row whose decision was sent
  let undecided = false; // a decision failed to be saved: its message stays until one gets through

  // ---- What was typed -------------------------------------------------------------------------------------

  function storageKey() {
    const fields = form()?.elements;
    return fields ? `vera-draft:${row().dataset.labeler}:${fields.version.value}:${fields.candidate.value}` : "";
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
    try { localStorage.setItem(key, JSON.stringify({ text, saved })); } catch { /* full or forbidden: the server still gets it */ }
  }
  function recall(key) {
    try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
  }
  function forget(key) {
    try { localStorage.removeItem(key); } catch { /* nothing was kept */ }
  }

  function say(text) {
    const line = document.getElementById("saved");
    if (line) line.textContent = text;
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

  function saveSoon() {
    clearTimeout(timer);
    timer = setTimeout(() => save(), TYPING_PAUSE);
  }

  async function save(leaving = false) {
    clearTimeout(timer);
    timer = 0;
    if (!form()) return;
    const [key, text] = [storageKey(), typed()];
    sending?.abort();
    sending = new AbortController();
    const { signal } = sending;
    let saved;
    try {
      const answer = await fetch(form().dataset.draft, {
        method: "POST", body: new URLSearchParams(new FormData(form())), headers: { "HX-Request": "true" },
        signal, keepalive: leaving,
      });
      if (!answer.ok) return undecided || report(answer.status, save);
      saved = answer.headers.get("Draft-Saved");
    } catch {
      return signal.aborted || undecided || report(0, save);
    }
    if (recall(key)?.text === text) remember(key, text, Number(saved));
    if (!undecided) calm();
    if (key === storageKey()) say("Draft saved.");
  }

  document.addEventListener("input", (event) => {
    if (event.target.form !== form() || !form()) return;
    remember(storageKey(), typed());
    say("");
    saveSoon();
  });
  window.addEventListener("online", () => { if (form() && recall(storageKey())?.saved === 0) save(); });
  window.addEventListener("pagehide", () => { if (timer) save(true); });

  // ---- When something was not saved -----------------------------------------------------------------------

  function report(status, retry) {
    if (status === 401) return complain("You are logged out, so this was not saved. What you typed is kept.", null, "Log in again", trouble().dataset.login);
    if (status === 403) return complain("Not saved: this page is older than your login. What you typed is kept.", null, "Load the page again", location.href);
    if (status === 404) return complain("Not saved: you are no longer a member of this criteria set. What you typed is kept.", null);
    if (status === 400) return complain("Not saved: the row on this page is not what the server expects.", null, "Load the page again", location.href);
    if (status === 422) return say("Not saved as a draft: a mark or the comment is not acceptable yet.");
    if (status === 0) return complain("Not saved – no connection. What you typed is kept.", retry);
    return complain(`Not saved – the server could not do it just now (${status}). What you typed is kept.`, retry);
  }

  function complain(sentence, retry, linkText, address) {
    const box = trouble();
    const words = document.createElement("span");
    words.textContent = sentence;
    box.replaceChildren(words);
    if (retry) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Retry";
      button.addEventListener("click", () => retry());
      box.append(button);
    }
    if (linkText) {
      const link = document.createElement("a");
      link.href = address;
      link.textContent = linkText;
      box.append(link);
    }
    box.hidden = false;
    say("");
  }

  function calm() {
    trouble().hidden = true;
  }

  // ---- Sending a decision, and the next row -----------------------------------------------------------------

  let pressed = null;
  document.addEventListener("submit", (event) => { if (row()?.contains(event.target)) pressed = event.submitter; }, true);

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[type=submit]");
    if (button && row()?.contains(button) && performance.now() - shownAt < DOUBLE_PRESS) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }, true);

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!row()?.contains(event.target) || event.target.tagName !== "FORM") return;
    row().setAttribute("aria-busy", "true");
    decided = event.target === form() ? storageKey() : "";
    if (event.target === form()) {
      clearTimeout(timer);
      timer = 0;
      sending?.abort();
      if (typed() !== "{}") remember(decided, typed());
    } else if (timer) {
      save(); // an undo leaves this row: what was typed here waits for its return
    }
  });

  function failed(event, status) {
    if (!row()?.contains(event.target) || event.target.tagName !== "FORM") return;
    row().removeAttribute("aria-busy");
    const button = pressed;
    undecided = true;
    report(status, () => button?.click());
    trouble().querySelector("button, a")?.focus();
  }
  document.addEventListener("htmx:sendError", (event) => failed(event, 0));
  document.addEventListener("htmx:timeout", (event) => failed(event, 0));
  document.addEventListener("htmx:responseError", (event) => failed(event, event.detail.xhr.status));

  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target.id !== "row") return;
    undecided = false;
    calm();
    const invalid = event.target.querySelector("[aria-invalid=true]");
    if (!invalid && decided) forget(decided);
    shownAt = performance.now();
    begin();
    if (!invalid) window.scrollTo(0, 0);
    (invalid ?? heading()).focus({ preventScroll: !invalid });
  });

  function begin() {
    const keys = document.getElementById("show-keys");
    if (keys) keys.hidden = false;
    restore();
  }

  // ---- Keys -----------------------------------------------------------------------------------------------

  const isTyping = (element) =>
    element.matches("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=hidden])");

  function leave() {
    document.activeElement?.blur();
    heading()?.focus({ preventScroll: true });
  }

  function mark(fieldset, key) {
    const radio = [...fieldset.querySelectorAll("input")].find((input) => input.value === key);
    if (!radio) return false;
    radio.click();
    const all = [...form().querySelectorAll("fieldset.mark, label.mark")];
    const next = all[all.indexOf(fieldset) + 1];
    if (next) focusMark(next); else leave();
    return true;
  }

  function focusMark(holder) {
    const field = holder?.querySelector("input:checked") ?? holder?.querySelector("input");
    field?.focus();
  }

  function toggleFolds() {
    const folds = [...document.querySelectorAll("details.fold")];
    const open = folds.some((fold) => !fold.open);
    folds.forEach((fold) => { fold.open = open; });
  }

  function toggleSkip(open) {
    const skip = document.querySelector("details.skip");
    if (!skip) return;
    skip.open = open;
    if (open) skip.querySelector("[data-reason]").focus(); else leave();
  }

  const commands = {
    e: toggleFolds,
    s: () => toggleSkip(true),
    m: () => focusMark(form()?.querySelector("fieldset.mark, label.mark")),
    c: () => document.getElementById("comment")?.focus(),
    "?": () => document.getElementById("keys").showModal(),
  };

  function press(key) {
    if (commands[key]) { commands[key](); return true; }
    const button = row()?.querySelector(`button[data-key="${CSS.escape(key)}"]`);
    button?.click();
    return Boolean(button);
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !row()) return;
    if (document.getElementById("keys").open) return;
    const target = event.target;
    if (isTyping(target)) {
      if (event.key === "Escape") leave();
      return;
    }
    const skip = document.querySelector("details.skip[open]");
    const marks = target.closest?.("fieldset.mark");
    if (event.key === "Escape") {
      if (skip) toggleSkip(false); else if (marks) leave();
      return;
    }
    if (event.repeat) return;
    let used;
    if (/^\d$/.test(event.key) && marks) used = mark(marks, event.key) || true;
    else if (/^\d$/.test(event.key) && skip) { skip.querySelector(`[data-reason="${event.key}"]`)?.click(); used = true; }
    else used = press(event.key);
    if (used) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("#show-keys")) document.getElementById("keys").showModal();
  });

  document.addEventListener("DOMContentLoaded", begin);
})();
