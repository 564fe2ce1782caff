import PQueue from "p-queue";
import type { LimitContender } from "../contender.ts";

export function create(): LimitContender {
  const queue = new PQueue({ concurrency: 10 });
  return { limited: (task) => queue.add(task) };
}
