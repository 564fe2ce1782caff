import { compileFunction } from "node:vm";
import type { OutputChunk } from "rolldown";
import type * as MainEntry from "../../src/index.ts";

/** The code that an import of an entry executes. */
export interface TracedImport {
  /** Modules that are executed. */
  readonly executed: ReadonlySet<string>;
  /** Exported functions of other modules. */
  readonly lazyFunctions: readonly string[];
}

/**
 * Executes what an import of each entry needs, to find its modules; every chunk has one module. Modules that only
 * exported functions need can be loaded by the first call.
 */
export async function traceImports(
  entries: readonly OutputChunk[],
  chunks: readonly OutputChunk[],
): Promise<ReadonlyMap<string, TracedImport>> {
  const names = entries.flatMap((entry) => entry.exports);
  const imports = new Map<string, TracedImport>();
  for (const entry of entries) {
    const exported = Object.entries(new Execution(chunks).load(`./${entry.fileName}`));
    // Functions of the main entry are called most, and an export of two entries must be the same in both.
    const isLazy = ([name, value]: [string, unknown]): boolean =>
      entry.name !== "index" && isFunction(value) && names.indexOf(name) === names.lastIndexOf(name);
    const lazy = exported.filter(isLazy).map(([name]) => name);
    imports.set(entry.name, await traceImport(entry, lazy, new Execution(chunks)));
  }
  return imports;
}

async function traceImport(entry: OutputChunk, lazy: readonly string[], execution: Execution): Promise<TracedImport> {
  const exports = execution.load(`./${entry.fileName}`);
  for (const name of entry.exports) if (!lazy.includes(name)) Reflect.get(exports, name);
  if (entry.name === "index") await callTool(exports as typeof MainEntry);
  execution.stop();
  return {
    executed: new Set([...execution.executed.keys()].flatMap(({ moduleIds }) => moduleIds)),
    lazyFunctions: lazy.filter((name) => !isLoaded(() => Reflect.get(exports, name))),
  };
}

/** Calls are the hottest path, so their code is in the same file as the main entry, and nothing in it is lazy. */
async function callTool({ createEngine, defineTool }: typeof MainEntry): Promise<void> {
  const input = { type: "object", properties: { text: { type: "string" } } };
  const tool = defineTool({
    name: "copy",
    description: "Returns the input.",
    effect: "pure",
    input,
    run: (args) => args,
  });
  const engine = createEngine({ tools: [tool] });
  const { success } = await engine.call("copy", { text: "" });
  if (!success) throw new Error("the bundle cannot call a tool");
  await engine.close();
}

/** True for functions without properties that are not classes. */
function isFunction(value: unknown): boolean {
  return typeof value === "function" && Object.keys(value).length === 0 && !String(value).startsWith("class");
}

function isLoaded(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** Executes chunks as CommonJS modules. */
class Execution {
  readonly executed = new Map<OutputChunk, { readonly exports: object }>();
  readonly #chunks: ReadonlyMap<string, OutputChunk>;
  #isStopped = false;

  constructor(chunks: readonly OutputChunk[]) {
    this.#chunks = new Map(chunks.map((chunk) => [`./${chunk.fileName}`, chunk]));
  }

  load(file: string): object {
    const chunk = this.#chunks.get(file);
    if (chunk === undefined) throw new Error(`an import loads ${file}; load it on first use`);
    return (this.executed.get(chunk) ?? this.#execute(chunk)).exports;
  }

  /** From now on, loading another chunk throws. */
  stop(): void {
    this.#isStopped = true;
  }

  #execute(chunk: OutputChunk): { readonly exports: object } {
    if (this.#isStopped) throw new Error(`${chunk.fileName} is not loaded`);
    const module = { exports: {} };
    this.executed.set(chunk, module);
    const body = compileFunction(chunk.code, ["exports", "require", "module", "__filename"]);
    body(module.exports, (file: string) => this.load(file), module, chunk.fileName);
    return module;
  }
}
