import type { StreamEvent } from "../../../src/client.ts";

const toolIndex = new URL("../../../src/tool/index.ts", import.meta.url).href;

/** A workspace with a chain of many steps: `many` with `{ count, size, delay }`. */
export const manySteps: Readonly<Record<string, string>> = {
  "windlass.yaml": "",
  "tools/work.ts": `import { defineTool } from ${JSON.stringify(toolIndex)};
import { setTimeout as pause } from "node:timers/promises";
export const numbers = defineTool({
  name: "numbers", description: "Counts.", effect: "pure",
  input: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
  run: ({ count }) => Array.from({ length: count }, (_, index) => index),
});
export const work = defineTool({
  name: "work", description: "Works.", effect: "idempotent",
  input: {
    type: "object",
    properties: { number: { type: "integer" }, size: { type: "integer" }, delay: { type: "integer" } },
    required: ["number", "size", "delay"],
  },
  run: async ({ number, size, delay }) => {
    if (delay > 0) await pause(delay);
    return { number, text: "x".repeat(size) };
  },
});
`,
  "chains/many.yaml": `name: many
input: { count: "integer", size: "integer = 1", delay: "integer = 1" }
steps:
  - { id: numbers, tool: numbers, params: { count: "\${input.count}" } }
  - id: work
    tool: work
    for_each: "\${steps.numbers.output}"
    concurrency: 2
    params: { number: "\${item}", size: "\${input.size}", delay: "\${input.delay}" }
`,
};

/** Checks the events of one run that a reader received. */
export class ReceivedRun {
  readonly ids: string[] = [];
  readonly seqs: number[] = [];
  readonly statuses: string[] = [];

  take(event: StreamEvent): void {
    if (event.id === undefined || event.type === "ready") return;
    this.ids.push(event.id);
    if (event.type === "journal") this.seqs.push(event.data.seq);
    if (event.type === "run") this.statuses.push(event.data.status);
  }

  /** True if each journal event came once, in order, and the end came last. */
  isWhole(count: number): boolean {
    const isOrdered = this.seqs.length === count && this.seqs.every((seq, index) => seq === index + 1);
    return isOrdered && new Set(this.ids).size === this.ids.length && this.statuses.at(-1) === "success";
  }
}
