import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A chain that comes with Windlass. Its text is read when it is first asked for. */
export interface BuiltinChain {
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

const names = ["research-chain", "dev-chain", "write-chain", "research-summarize-store"];

/**
 * The chains that come with Windlass.
 *
 * @example
 * ```ts
 * for (const chain of builtinChains()) library.add(chain);
 * ```
 */
export function builtinChains(): readonly BuiltinChain[] {
  return names.map((name) => new FileChain(name));
}

class FileChain implements BuiltinChain {
  readonly name: string;
  #text: string | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get file(): string {
    // The build puts the folder beside what it makes of this file.
    return fileURLToPath(new URL(`./chains/${this.name}.yaml`, import.meta.url));
  }

  get text(): string {
    return (this.#text ??= readFileSync(this.file, "utf8"));
  }
}
