import { bulkhead } from "cockatiel";
import type { LimitContender } from "../contender.ts";

export function create(): LimitContender {
  const policy = bulkhead(10, 10_000);
  return { limited: (task) => policy.execute(task) };
}
