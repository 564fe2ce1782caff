import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { importModule } from "../base/index.ts";

/** Where files are, and where what was compiled of them is kept. */
export interface CompiledFilesOptions {
  /** The folder of the files, which are CommonJS and ASCII. */
  readonly dir: string;
  /** Another one for every version of any of the files; nothing is kept where absent. */
  readonly cache: string | undefined;
}

/** What earlier runs have compiled. */
interface Kept {
  /** How many runs have added to it. */
  readonly runs: number;
  readonly files: ReadonlyMap<string, Buffer>;
}

interface LoadedFile {
  readonly script: Script;
  readonly module: { readonly exports: object };
}

/** So many runs add what they compiled and the ones before did not; then nearly everything is known. */
const learningRuns = 5;

const nothing: Kept = { runs: 0, files: new Map() };

/**
 * Loads files as earlier runs have compiled them. Node's own cache is made before a file runs, and so without the
 * functions that are compiled when they are first called: a short command spends a third of its time on those.
 */
export class CompiledFiles {
  readonly #options: CompiledFilesOptions;
  readonly #kept: Kept;
  readonly #loaded = new Map<string, LoadedFile>();
  /** Files of which nothing was kept that can be used. */
  readonly #unknown = new Set<string>();
  /** Also imports modules, which these files cannot: Node knows nothing of them. */
  readonly #require = Object.assign(
    (name: string): unknown => (name.startsWith("./") ? this.load(name.slice(2)) : process.getBuiltinModule(name)),
    { import: importModule },
  );

  constructor(options: CompiledFilesOptions) {
    this.#options = options;
    this.#kept = (options.cache === undefined ? undefined : readKept(options.cache)) ?? nothing;
  }

  /** What a file exports. */
  load(file: string): object {
    const { module } = this.#loaded.get(file) ?? this.#run(file);
    return module.exports;
  }

  /** Keeps what was compiled until now for later runs, unless they hardly gain from it. */
  keep(): void {
    const { cache } = this.#options;
    if (cache === undefined || (this.#unknown.size === 0 && this.#kept.runs >= learningRuns)) return;
    const files = new Map(this.#kept.files);
    for (const [file, { script }] of this.#loaded) {
      const data = script.createCachedData();
      const before = this.#unknown.has(file) ? 0 : (files.get(file)?.length ?? 0);
      // In a long run, what was not called for a while is forgotten.
      if (data.length > before) files.set(file, data);
    }
    writeKept(cache, { runs: this.#kept.runs + 1, files });
  }

  #run(file: string): LoadedFile {
    const path = join(this.#options.dir, file);
    const compiled = this.#kept.files.get(file);
    const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, "latin1")}\n})`;
    const script = new Script(text, { filename: path, cachedData: compiled });
    if (compiled === undefined || script.cachedDataRejected === true) this.#unknown.add(file);
    const loaded: LoadedFile = { script, module: { exports: {} } };
    this.#loaded.set(file, loaded);
    const { module } = loaded;
    // The value of the expression above.
    const body = script.runInThisContext() as (...parts: readonly unknown[]) => void;
    body(module.exports, this.#require, module, path, this.#options.dir);
    return loaded;
  }
}

/** Reads what was kept; undefined where there is nothing that can be used. */
function readKept(cache: string): Kept | undefined {
  try {
    const descriptor = openSync(cache, "r");
    try {
      // It is executed unseen, and may lie in a folder where others can put files as well.
      if (fstatSync(descriptor).uid !== (process.getuid?.() ?? 0)) return undefined;
      return parseKept(readFileSync(descriptor));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** One line of JSON says what follows it. */
interface Contents {
  readonly runs: number;
  readonly files: readonly (readonly [file: string, bytes: number])[];
}

function parseKept(bytes: Buffer): Kept {
  let start = bytes.indexOf("\n") + 1;
  // Written below, as a whole or not at all.
  const { runs, files } = JSON.parse(bytes.toString("latin1", 0, start)) as Contents;
  const parts = files.map(([file, length]) => [file, bytes.subarray(start, (start += length))] as const);
  return { runs, files: new Map(parts) };
}

/** Never throws: where it cannot be written, the next run compiles again, as this one did. */
function writeKept(cache: string, { runs, files }: Kept): void {
  const contents: Contents = { runs, files: [...files].map(([file, data]) => [file, data.length]) };
  try {
    putInPlace(cache, Buffer.concat([Buffer.from(`${JSON.stringify(contents)}\n`), ...files.values()]));
  } catch {
    // As it was.
  }
}

/** A file appears when all of it is on the disk: compiled code is not checked by who executes it. */
function putInPlace(path: string, content: Buffer): void {
  const temporary = `${path}.${process.pid}`;
  // Not a file, nor a link, that somebody else has put there.
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
