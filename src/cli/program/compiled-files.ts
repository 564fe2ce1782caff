import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Module, createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { importModule } from "../../base/index.ts";

/** Folder of the files and of their compile cache. */
export interface CompiledFilesOptions {
  /** Folder of the files, which are CommonJS and ASCII. */
  readonly dir: string;
  /** Path of the cache, different for every version of any of the files. If undefined, nothing is cached. */
  readonly cache: string | undefined;
}

/** Code that earlier runs have compiled. */
interface CompiledCache {
  /** Number of runs that have added to it. */
  readonly runs: number;
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Number of runs that add what they compiled; after that nearly everything is cached. */
const learningRuns = 5;

const nothing: CompiledCache = { runs: 0, files: new Map() };

/**
 * Loads files with the code that earlier runs have compiled. Node's own cache is created before a file runs, so it
 * lacks the functions that are compiled lazily: a short command spends a third of its time on those.
 */
export class CompiledFiles {
  readonly #options: CompiledFilesOptions;
  readonly #stored: CompiledCache;
  readonly #compiled = new Map<string, Script>();
  /** Files without a usable cache entry. */
  readonly #unknown = new Set<string>();
  /** Node's own modules: code that imports `windlass` gets the copies loaded here, and the other way round. */
  readonly #modules: NodeJS.Dict<NodeJS.Module>;
  /** Also imports ES modules, which code in a script cannot do itself. */
  readonly #require = Object.assign(
    (name: string): unknown => (name.startsWith("./") ? this.load(name.slice(2)) : process.getBuiltinModule(name)),
    { import: importModule },
  );

  constructor(options: CompiledFilesOptions) {
    this.#options = options;
    this.#modules = createRequire(join(options.dir, "main.cjs")).cache;
    this.#stored = (options.cache === undefined ? undefined : readCompiledCache(options.cache)) ?? nothing;
  }

  /** Returns the exports of a file. */
  load(file: string): object {
    const path = join(this.#options.dir, file);
    const module = this.#modules[path] ?? this.#run(file, path);
    // CommonJS exports are objects in all of these files.
    return module.exports as object;
  }

  /** Caches the code compiled so far for later runs, unless they would hardly benefit. */
  keep(): void {
    const { cache } = this.#options;
    if (cache === undefined || (this.#unknown.size === 0 && this.#stored.runs >= learningRuns)) return;
    const files = new Map(this.#stored.files);
    for (const [file, script] of this.#compiled) {
      const data = script.createCachedData();
      const before = this.#unknown.has(file) ? 0 : (files.get(file)?.length ?? 0);
      // In a long run, V8 discards code that was not called for a while.
      if (data.length > before) files.set(file, data);
    }
    writeCompiledCache(cache, { runs: this.#stored.runs + 1, files });
  }

  #run(file: string, path: string): NodeJS.Module {
    const compiled = this.#stored.files.get(file);
    const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, "latin1")}\n})`;
    const script = new Script(text, { filename: path, cachedData: compiled });
    if (compiled === undefined || script.cachedDataRejected === true) this.#unknown.add(file);
    this.#compiled.set(file, script);
    const module = new Module(path);
    module.filename = path;
    this.#modules[path] = module;
    // The value of the expression above.
    const body = script.runInThisContext() as (...parts: readonly unknown[]) => void;
    body(module.exports, this.#require, module, path, this.#options.dir);
    module.loaded = true;
    return module;
  }
}

/** Reads the cache; undefined if there is no usable one. */
function readCompiledCache(cache: string): CompiledCache | undefined {
  try {
    const descriptor = openSync(cache, "r");
    try {
      // It is executed without checks, and may be in a folder to which other users can write.
      if (fstatSync(descriptor).uid !== (process.getuid?.() ?? 0)) return undefined;
      return parseCompiledCache(readFileSync(descriptor));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** One line of JSON that describes the rest. */
interface Contents {
  readonly runs: number;
  readonly files: readonly (readonly [file: string, bytes: number])[];
}

function parseCompiledCache(bytes: Buffer): CompiledCache {
  let start = bytes.indexOf("\n") + 1;
  // Written by the function below, atomically.
  const { runs, files } = JSON.parse(bytes.toString("latin1", 0, start)) as Contents;
  const parts = files.map(([file, length]) => [file, bytes.subarray(start, (start += length))] as const);
  return { runs, files: new Map(parts) };
}

/** Never throws: if it cannot be written, the next run compiles again. */
function writeCompiledCache(cache: string, { runs, files }: CompiledCache): void {
  const contents: Contents = { runs, files: [...files].map(([file, data]) => [file, data.length]) };
  try {
    moveIntoPlace(cache, Buffer.concat([Buffer.from(`${JSON.stringify(contents)}\n`), ...files.values()]));
  } catch {
    // The cache stays unchanged.
  }
}

/** The file appears only once all of it is on disk, since compiled code is executed without checks. */
function moveIntoPlace(path: string, content: Buffer): void {
  const temporary = `${path}.${process.pid}`;
  // Fails for an existing file or link, which another user may have put there.
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
