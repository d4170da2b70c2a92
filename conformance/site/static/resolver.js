// The resolver: the form is the address is the question; a worker answers.
const form = document.querySelector("#question");
const shown = document.querySelector("#answer");
const progress = document.querySelector("#progress");
const began = performance.now();
let worker, ready, asked = 0;

const load = (path) => new Promise((done, fail) => {
  const script = document.createElement("script");
  script.src = path;
  script.onload = done;
  script.onerror = () => fail(new Error(`${path} can't be loaded`));
  document.head.append(script);
});

function say(text) {
  progress.textContent = text;
  performance.mark(text);
}

async function start() {
  say("Loading the engine");
  await load("resolver/engine.js");
  worker = new Worker(URL.createObjectURL(new Blob([self.rankspecWorker], { type: "text/javascript" })));
  await new Promise((done, fail) => {
    worker.onerror = (event) => fail(new Error(event.message));
    worker.onmessage = ({ data }) => {
      if (data.progress) say(data.progress);
      else if (data.ready) done();
      else fail(new Error(data.failed));
    };
    worker.postMessage({ assets: self.rankspecAssets });
    self.rankspecAssets = undefined;
  });
  document.documentElement.dataset.ready = Math.round(performance.now() - began);
  say(`Ready after ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

async function ask(question) {
  const number = ++asked;
  shown.setAttribute("aria-busy", "true");
  try {
    ready ??= start();
    await ready;
    const from = performance.now();
    say("Computing");
    const { answer, failed } = await new Promise((done) => {
      worker.onmessage = ({ data }) => data.number === number && done(data);
      worker.postMessage({ number, question: named(question) });
    });
    if (failed) throw new Error(failed);
    shown.innerHTML = answer.html;
    shown.dataset.status = answer.status;
    say(`Answered in ${((performance.now() - from) / 1000).toFixed(2)} s`);
  } catch (error) {
    shown.textContent = "";
    shown.dataset.status = "failed";
    say(`The resolver failed: ${error.message}`);
  }
  shown.setAttribute("aria-busy", "false");
  shown.dataset.number = number;
}

function fields() {
  return Object.fromEntries([...new FormData(form)].filter(([, text]) => text.trim()));
}

// A library stands for the convention that was recorded for it, the newest version first.
function recorded(name, measure) {
  const bare = (text) => text.toLowerCase().replace(/[-_ ]/g, "");
  const group = measure.replace(/@\d+$/, "@k");
  const own = (globalThis.rankspecRows?.rows ?? []).filter((row) => row.under && row.measure === group
    && [row.library, row.spec.split("==")[0], row.spec].some((each) => bare(each) === bare(name)));
  return own.at(-1)?.under ?? name;
}

function named(question) {
  const conventions = ["a", "b"].filter((side) => question[side]).map((side) => [side, recorded(question[side], question.measure ?? "AP")]);
  return { ...question, ...Object.fromEntries(conventions) };
}

function fit() {
  const chosen = form.elements.ask.value;
  for (const part of form.querySelectorAll("[data-for]")) {
    part.hidden = !part.dataset.for.split(" ").includes(chosen);
  }
}

function fromAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (![...given].length) return;
  form.reset();
  for (const [name, text] of given) {
    if (form.elements[name]) form.elements[name].value = text;
  }
  fit();
  for (const part of form.querySelectorAll("details")) {
    part.open = [...part.querySelectorAll("[name]")].some((field) => field.value);
  }
  ask(fields());
}

if (form) {
  form.addEventListener("change", fit);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const address = `#${new URLSearchParams(fields())}`;
    if (address === location.hash) fromAddress();
    else location.hash = address;
  });
  // Who touches the form is about to ask: the engine starts while they type.
  form.addEventListener("focusin", () => { (ready ??= start()).catch(() => {}); }, { once: true });
  addEventListener("hashchange", fromAddress);
  fit();
  fromAddress();
}
