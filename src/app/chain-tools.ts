import { systemClock } from "../base/index.ts";
import type { ChainLibrary } from "../chain/index.ts";
import type { Engine, ToolEvent } from "../engine/index.ts";
import type { ToolRegistry } from "../tool/index.ts";

/** What {@link ChainTools} needs. */
export interface ChainToolsOptions {
  readonly library: ChainLibrary;
  readonly registry: ToolRegistry;
  readonly engine: Engine;
  /** Values of the variables that the chains may read. */
  readonly env: Readonly<Record<string, string>>;
  /** The file of a chain; undefined for one that is built in. */
  readonly fileOf: (chain: string) => string | undefined;
}

/**
 * The chains of a library as tools. All have to be planned for it, and a process that runs one of them needs no other:
 * so those that are there at first are registered when somebody asks for a tool that may be one of them.
 */
export class ChainTools {
  readonly #options: ChainToolsOptions;
  #state: "empty" | "loaded" | "registered" = "empty";
  #ownChanges = 0;

  constructor(options: ChainToolsOptions) {
    this.#options = options;
  }

  /** The version of the tools that are no chains: what chains are planned with. */
  get toolsVersion(): number {
    return this.#options.registry.version - this.#ownChanges;
  }

  /** The chains of the library may have changed. */
  update(): void {
    if (this.#state === "registered") this.#register("tool_added");
    else this.#options.registry.later(() => this.registerLoaded());
    if (this.#state === "empty") this.#state = "loaded";
  }

  /** Registers what was loaded, if nobody has asked for it yet: who is told of a change has to know what was before. */
  registerLoaded(): void {
    if (this.#state !== "loaded") return;
    this.#state = "registered";
    this.#register("tool_loaded");
  }

  #register(added: ToolEvent["type"]): void {
    const { library, registry, env } = this.#options;
    const before = registry.version;
    const change = library.registerIn(registry, env);
    this.#ownChanges += registry.version - before;
    this.#tell(added, change.added);
    this.#tell("tool_updated", change.updated);
    this.#tell("tool_removed", change.removed);
  }

  /** Tells of chains as of any tools. */
  #tell(type: ToolEvent["type"], chains: readonly string[]): void {
    const { engine, fileOf } = this.#options;
    for (const tool of chains) {
      const file = fileOf(tool);
      const at = systemClock.now();
      engine.emit({ type, at, tool, source: "chains", ...(file !== undefined && { file }) });
    }
  }
}
