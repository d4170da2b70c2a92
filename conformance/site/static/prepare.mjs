// Starts the resolver once, when the site is built, and keeps the memory of the started Python. Called by bundle.py:
// node prepare.mjs ENGINE FOLDER, where the folder has code.zip; it gets the archives compiled, the memory, what it holds.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [engine, folder] = process.argv.slice(2);
const ARCHIVES = { "code.zip": join(folder, "code.zip"), "python_stdlib.zip": join(engine, "python_stdlib.zip") };

async function prepare() {
  const { loadPyodide } = await import(pathToFileURL(join(engine, "pyodide.mjs")));
  const started = async (options) => {
    const python = await loadPyodide({ indexURL: `${engine}/`, ...options });
    python.FS.writeFile("/code.zip", readFileSync(ARCHIVES["code.zip"]));
    python.runPython("import sys; sys.path.insert(0, '/code.zip')");
    return python;
  };

  const first = await started();
  first.runPython("from rankspec.conformance.site.ahead import compile_archive");
  for (const [name, path] of Object.entries(ARCHIVES)) {
    first.FS.writeFile("/source.zip", readFileSync(path));
    first.runPython("compile_archive('/source.zip', '/target.zip')");
    writeFileSync(join(folder, name), first.FS.readFile("/target.zip"));
  }

  const second = await started({ stdLibURL: join(folder, "python_stdlib.zip"), _makeSnapshot: true });
  const loaded = second.runPython("from rankspec.conformance.site.ahead import warm_up; warm_up()");
  writeFileSync(join(folder, "loaded.json"), loaded);
  second.runPython("import gc; gc.collect()");
  writeFileSync(join(folder, "memory.bin"), second.makeMemorySnapshot());
}

// The trace of the engine's error has its whole source in one line.
await prepare().then(() => process.exit(0), (error) => { console.error(String(error)); process.exit(1); });
