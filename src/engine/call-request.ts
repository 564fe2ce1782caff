import type { AnyTool } from "../tool/index.ts";
import type { Call } from "./call.ts";
import type { CallContext } from "./call-context.ts";

/** What is called, with what, by whom. */
export interface CallRequest {
  readonly target: string | AnyTool;
  readonly args: unknown;
  readonly context: CallContext;
  readonly parent?: Call;
}
