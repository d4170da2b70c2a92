// Runs Python: the engine gets its files from what the page sent, never from the network.
const BASE = "https://engine.invalid/";
let answer;

const module = (bytes) => import(URL.createObjectURL(new Blob([bytes], { type: "text/javascript" })));
const say = (text) => self.postMessage({ progress: text });

async function unpacked(packed) {
  const bytes = Uint8Array.fromBase64?.(packed) ?? Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The engine begins with less memory than a kept one needs: let it grow first.
const roomy = (create, size) => async (settings) => {
  const made = await create(settings);
  made._malloc(size);
  made.HEAP8.fill(0, size);
  return made;
};

async function start(packed) {
  say("Unpacking");
  const names = Object.keys(packed);
  const contents = await Promise.all(names.map((name) => unpacked(packed[name])));
  const assets = Object.fromEntries(names.map((name, place) => [name, contents[place]]));
  say("Starting Python");
  self.fetch = async (address) => {
    const name = String(address.url ?? address).slice(BASE.length);
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(assets[name], { headers: { "Content-Type": type } });
  };
  // A page opened from a folder can start a classic worker only; the engine would take it for one that can't import.
  self.importScripts = undefined;
  const memory = assets["memory.bin"];
  const engine = await module(assets["pyodide.mjs"]);
  const made = await module(assets["pyodide.asm.mjs"]);
  const python = await engine.loadPyodide({
    indexURL: BASE,
    createPyodideModule: memory ? roomy(made.default, memory.length) : made.default,
    lockFileContents: JSON.parse(new TextDecoder().decode(assets["pyodide-lock.json"])),
    fsInit: async (files) => files.writeFile("/code.zip", assets["code.zip"]),
    ...(memory && { _loadSnapshot: memory }),
  });
  say("Loading the oracle");
  answer = python.runPython(`
import importlib, sys
if "/code.zip" not in sys.path:
    sys.path.insert(0, "/code.zip")
importlib.invalidate_caches()  # a memory that was kept knows the archives as they were then
from rankspec.conformance.site.browser import answer_text
answer_text`);
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
