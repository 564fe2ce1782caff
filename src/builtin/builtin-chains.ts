import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A built-in chain. Its text is read on first use. */
export interface BuiltinChain {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly isBuiltin: true;
}

const names = ["research-chain", "dev-chain", "write-chain", "research-summarize-store"];

/**
 * Returns the built-in chains.
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
  readonly isBuiltin = true;
  #text: string | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get file(): string {
    // The build puts the folder beside the output of this file.
    return fileURLToPath(new URL(`./chains/${this.name}.yaml`, import.meta.url));
  }

  get text(): string {
    return (this.#text ??= readFileSync(this.file, "utf8"));
  }
}
