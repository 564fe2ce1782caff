import type { LimitContender } from "../contender.ts";
import { loadSubject } from "../subject.ts";

/** The full lifecycle of a call, ten at a time. */
export async function create(): Promise<LimitContender> {
  const { defineTool, createEngine } = await loadSubject();
  const concurrency = { maxConcurrent: 10, queueSize: 10_000 };
  let task: () => Promise<void> = async () => {};
  const work = defineTool({ name: "work", description: "Does the task.", effect: "read", run: () => task() });
  const engine = createEngine({ tools: [work], concurrency });
  return {
    async limited(input) {
      task = input;
      const result = await engine.call(work, {});
      if (!result.success) throw new Error(result.error.message);
    },
  };
}
