import { effectOf } from "../../engine/index.ts";
import type { AnyTool, Effect } from "../../tool/index.ts";

/** The effect of a call whose arguments nobody has checked yet; the worst where the tool cannot tell. */
export function effectOfCall(tool: AnyTool, args: unknown): Effect {
  try {
    return effectOf(tool, args);
  } catch {
    return "once";
  }
}
