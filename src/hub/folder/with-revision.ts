import { nodeCrypto } from "../../base/index.ts";
import type { AnyTool } from "../../tool/index.ts";

interface Revised {
  readonly texts: string;
  readonly tool: AnyTool;
}

/** A module that is loaded again in a version that was there before gives its very tools, and so the same from here. */
const revised = new WeakMap<AnyTool, Revised>();

/**
 * The same tools, which know the texts that they were made of. The hash is made when somebody asks for it: runs of
 * chains do, most programs never.
 */
export function withRevision(tools: readonly AnyTool[], given: readonly string[]): AnyTool[] {
  // One text that also tells where each of them ends.
  const texts = given.length === 1 ? (given[0] ?? "") : JSON.stringify(given);
  let hash: string | undefined;
  const revision = (): string => (hash ??= hashOf(texts));
  return tools.map((tool) => {
    const before = revised.get(tool);
    if (before?.texts === texts) return before.tool;
    const made = Object.freeze(Object.defineProperty({ ...tool }, "revision", { get: revision, enumerable: true }));
    revised.set(tool, { texts, tool: made });
    return made;
  });
}

function hashOf(text: string): string {
  return nodeCrypto().createHash("sha256").update(text).digest("hex").slice(0, 32);
}
