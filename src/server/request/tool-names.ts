import type { Workspace } from "../../app/index.ts";
import { type WireNames, createWireNames } from "../../tool/index.ts";

/** The names of tools in paths, as of the last change of the registry. */
export class ToolNames {
  #version: number | undefined;
  #names: WireNames | undefined;

  of({ engine }: Workspace): WireNames {
    const { version } = engine.tools;
    if (this.#names === undefined || version !== this.#version) {
      this.#names = createWireNames(
        engine.tools.list().map(({ tool }) => tool),
        "openai",
      );
      this.#version = version;
    }
    return this.#names;
  }
}
