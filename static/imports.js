// Sending a file in pieces: how far it is is shown, and after a lost connection it goes on where the server
// stands. Without JavaScript, and where anything here fails, the form sends the file at once.
"use strict";

const PIECE = 2 * 1024 * 1024; // bytes
const LONGEST_WAIT = 30; // seconds between two tries

const upload = document.getElementById("upload");
const fileField = upload.querySelector("input[type=file]");
const sending = document.getElementById("sending");
const words = document.getElementById("sending-words");
const bar = document.getElementById("sending-bar");
const stop = document.getElementById("sending-stop");
const csrf = upload.querySelector("[name=csrfmiddlewaretoken]").value;

let stopped = false;
let wakeUp = () => {};

class Refused extends Error {} // the server's own sentence: trying again would not help

function tell(text) {
  if (words.textContent !== text) words.textContent = text;
}

function size(bytes) {
  const mega = bytes / 1048576;
  return mega < 1 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${mega.toFixed(mega < 10 ? 1 : 0)} MB`;
}

async function ask(url, body) {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { "X-CSRFToken": csrf },
    redirect: "manual",
  });
  if (response.type === "opaqueredirect")
    throw new Refused("You are logged out. Log in again in another tab, then choose the same file again: it goes on where it stands.");
  if ([403, 404, 413].includes(response.status))
    throw new Refused("The server does not take this file from you. Load this page again.");
  if (![200, 409, 422].includes(response.status)) throw new Error(`status ${response.status}`);
  const answer = await response.json();
  if (answer.problem) throw new Refused(answer.problem);
  return answer;
}

function pause(seconds) {
  return new Promise((resolve) => {
    wakeUp = resolve;
    setTimeout(resolve, seconds * 1000);
  });
}

// Do it until it is answered; what the server itself refuses ends it.
async function untilAnswered(act) {
  for (let wait = 1; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    try {
      return await act();
    } catch (error) {
      if (stopped || error instanceof Refused) throw error;
      tell("The connection is lost. What was sent is kept; sending goes on by itself as soon as the server answers.");
      await pause(wait);
      if (stopped) throw error;
    }
  }
}

function beginning(file) {
  const about = new FormData();
  about.append("name", file.name);
  about.append("size", file.size);
  about.append("changed_at", file.lastModified);
  return about;
}

async function send(file) {
  const place = await untilAnswered(() => ask(upload.dataset.begin, beginning(file)));
  let { arrived } = place;
  while (arrived < file.size && !stopped) {
    bar.value = (100 * arrived) / file.size;
    tell(`${size(arrived)} of ${size(file.size)} sent`);
    const from = arrived;
    const piece = file.slice(from, from + PIECE);
    ({ arrived } = await untilAnswered(() => ask(`${place.piece}?offset=${from}`, piece)));
  }
  if (!stopped) window.location.assign(place.page);
}

function show(isSending) {
  upload.hidden = isSending;
  sending.hidden = !isSending;
}

function complain(sentence) {
  show(false);
  let list = upload.querySelector(".errorlist");
  if (!list) {
    list = document.createElement("ul");
    list.className = "errorlist";
    list.setAttribute("role", "alert");
    fileField.closest(".field").append(list);
  }
  const item = document.createElement("li");
  item.textContent = sentence;
  list.replaceChildren(item);
  fileField.setAttribute("aria-invalid", "true");
  fileField.focus();
}

upload.addEventListener("submit", async (event) => {
  const [file] = fileField.files;
  if (!file) return; // the browser, or the server, asks for one
  event.preventDefault();
  stopped = false;
  show(true);
  stop.focus();
  tell(`Sending ${file.name} …`);
  try {
    await send(file);
  } catch (error) {
    if (!stopped) complain(error.message);
  }
});

stop.addEventListener("click", () => {
  stopped = true;
  wakeUp();
  show(false);
  fileField.focus();
});
window.addEventListener("online", () => wakeUp());

// ---- Dropping a file on the form chooses it -----------------------------------------------------------------

document.querySelector(".drop-hint").hidden = false;
upload.addEventListener("dragover", (event) => {
  event.preventDefault();
  upload.classList.add("over");
});
upload.addEventListener("dragleave", () => upload.classList.remove("over"));
upload.addEventListener("drop", (event) => {
  event.preventDefault();
  upload.classList.remove("over");
  if (event.dataTransfer.files.length) fileField.files = event.dataTransfer.files;
});
