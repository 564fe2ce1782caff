import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A chain that comes with Windlass. Its text is read when it is first asked for. */
export interface BuiltinChain {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  /** Tools without which it cannot run: while one is not there, nobody needs to look at the chain itself. */
  readonly needs: readonly string[];
}

const research = ["web_search", "parallel_fetch", "llm_summarize", "memory_store"];

const needs: Readonly<Record<string, readonly string[]>> = {
  "research-chain": research,
  "dev-chain": ["llm_design", "code_generator", "test_runner", "code_reviewer", "code_fixer"],
  "write-chain": ["outline_generator", "content_writer", "content_reviewer", "content_reviser", ...research],
  "research-summarize-store": ["web_search", "web_fetch", "llm_summarize", "memory_store", "memory_recall"],
};

/**
 * The chains that come with Windlass.
 *
 * @example
 * ```ts
 * for (const chain of builtinChains()) library.add(chain);
 * ```
 */
export function builtinChains(): readonly BuiltinChain[] {
  return Object.entries(needs).map(([name, tools]) => new FileChain(name, tools));
}

class FileChain implements BuiltinChain {
  readonly name: string;
  readonly needs: readonly string[];
  #text: string | undefined;

  constructor(name: string, tools: readonly string[]) {
    this.name = name;
    this.needs = tools;
  }

  get file(): string {
    // The build puts the folder beside what it makes of this file.
    return fileURLToPath(new URL(`./chains/${this.name}.yaml`, import.meta.url));
  }

  get text(): string {
    return (this.#text ??= readFileSync(this.file, "utf8"));
  }
}
