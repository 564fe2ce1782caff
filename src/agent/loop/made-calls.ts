import { canonicalJson } from "../../base/index.ts";
import type { Effect, ToolResult } from "../../tool/index.ts";

/** A call that was made before. */
interface Made {
  readonly callId: string;
  readonly result: ToolResult;
  readonly effect: Effect;
  /** How many calls that write had been made by then. */
  readonly writes: number;
}

/** What a run has called, so that a model which asks for the same again gets no second effect. */
export class MadeCalls {
  readonly #made = new Map<string, Made>();
  #writes = 0;

  /** The same for the same tool and arguments. */
  static keyOf(tool: string, args: unknown): string {
    return canonicalJson([tool, args]);
  }

  /**
   * The call that makes another one needless: of a tool that writes, once it went well; of one that reads, as long as
   * nothing was written since; and any that failed in a way that no other attempt would mend.
   */
  find(key: string): Pick<Made, "callId" | "result"> | undefined {
    const made = this.#made.get(key);
    if (made === undefined) return undefined;
    const { result, effect, writes } = made;
    if (!result.success) return result.error.retry === "never" ? made : undefined;
    return effect === "read" && writes !== this.#writes ? undefined : made;
  }

  add(key: string, made: Omit<Made, "writes">): void {
    const { callId, effect, result } = made;
    const isWrite = effect === "idempotent" || effect === "once";
    // One that failed may have written all the same.
    if (isWrite && (result.success || result.error.retry !== "never")) this.#writes++;
    this.#made.set(key, { callId, effect, result, writes: this.#writes });
  }
}
