// Runs Python: the engine gets its files from what the page sent, never from the network.
const BASE = "https://engine.invalid/";
let answer;

const module = (bytes) => import(URL.createObjectURL(new Blob([bytes], { type: "text/javascript" })));
const say = (text) => self.postMessage({ progress: text });

async function start(assets) {
  say("Starting Python");
  const text = (name) => new TextDecoder().decode(assets[name]);
  self.fetch = async (address) => {
    const name = String(address.url ?? address).slice(BASE.length);
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(assets[name], { headers: { "Content-Type": type } });
  };
  // A page opened from a folder can start a classic worker only; the engine would take it for one that can't import.
  self.importScripts = undefined;
  const engine = await module(assets["pyodide.mjs"]);
  const made = await module(assets["pyodide.asm.mjs"]);
  const python = await engine.loadPyodide({
    indexURL: BASE,
    createPyodideModule: made.default,
    lockFileContents: JSON.parse(text("pyodide-lock.json")),
  });
  say("Loading the oracle");
  python.FS.writeFile("/code.zip", assets["code.zip"]);
  python.runPython("import sys; sys.path.insert(0, '/code.zip')");
  answer = python.runPython("from rankspec.conformance.site.browser import answer_text; answer_text");
}

self.onmessage = async ({ data }) => {
  try {
    if (data.assets) {
      await start(data.assets);
      self.postMessage({ ready: true });
    } else {
      self.postMessage({ number: data.number, answer: JSON.parse(answer(JSON.stringify(data.question))) });
    }
  } catch (error) {
    self.postMessage({ number: data.number, failed: String(error) });
  }
};
