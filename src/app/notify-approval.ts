import { cliCommand, fail } from "../base/index.ts";
import type { Approver, Engine } from "../engine/index.ts";
import { propertiesOf } from "../schema/index.ts";
import { type Approval, type ApprovalStore, type Delivery, neverExpires } from "../store/index.ts";
import type { AnyTool } from "../tool/index.ts";
import { finalFailure } from "./final-failure.ts";

/** The channel of notifications about approvals. */
export const approvalChannel = "approvals";

/** The caller of the notifying tool, in records. */
const callerId = "approvals.notify";

/** Dependencies of an {@link ApprovalNotifier}. */
export interface ApprovalNotifierDeps {
  /** The tool that sends the notification. */
  readonly tool: string;
  /** Address under which people reach the server. Without it, a notification has no link. */
  readonly publicUrl: string | undefined;
  readonly engine: Pick<Engine, "call" | "tools" | "redactor">;
  readonly approvals: Pick<ApprovalStore, "get">;
}

/** The owner of the workspace chose the tool for exactly these calls. */
const approver: Approver = { requestApproval: () => Promise.resolve({ kind: "approved" }) };

/** Sends waiting approvals through a tool of the workspace. */
export class ApprovalNotifier {
  readonly #parts: ApprovalNotifierDeps;

  constructor(parts: ApprovalNotifierDeps) {
    this.#parts = parts;
  }

  /** Sends one attempt, unless the approval was decided in the meantime. Throws if the tool failed. */
  async send({ subject, attempts, error }: Delivery, at: number, signal: AbortSignal): Promise<void> {
    const { engine, approvals, tool: name } = this.#parts;
    const approval = await approvals.get(subject, at);
    if (approval?.status !== "pending") return;
    const tool = engine.tools.resolve(name)?.tool;
    if (tool === undefined) throw fail(`there is no tool ${JSON.stringify(name)}`, { code: "tool_not_found" });
    const isOnce = tool.effect !== "pure" && tool.effect !== "read" && tool.effect !== "idempotent";
    if (attempts > 1 && error === undefined && isOnce)
      throw finalFailure("its process ended while it notified; whether the notification was sent is unknown");
    const result = await engine.call(name, this.#argumentsOf(approval, tool), {
      callerType: "library",
      callerId,
      idempotencyKey: `notify-${approval.id}`,
      signal,
      hooks: { approver, innerApprover: approver },
    });
    if (result.success) return;
    const { message, retry } = result.error;
    throw retry === "safe" ? fail(message, { code: "not_available" }) : finalFailure(message);
  }

  #argumentsOf(approval: Approval, { input }: AnyTool): object {
    const { publicUrl, engine } = this.#parts;
    const { id, runId, tool, message, expiresAt } = approval;
    const all: Readonly<Record<string, unknown>> = {
      title: `Approval needed: ${tool}`,
      text: textOf(approval, engine.redactor.value(approval.args)),
      // It only shows the approval; a decision needs a token and a POST.
      ...(publicUrl !== undefined && { link: `${publicUrl.replace(/\/+$/, "")}/approvals/${encodeURIComponent(id)}` }),
      approval_id: id,
      tool,
      message: engine.redactor.text(message),
      ...(runId !== undefined && { run_id: runId }),
      ...(expiresAt < neverExpires && { expires_at: new Date(expiresAt).toISOString() }),
    };
    if (input.json["additionalProperties"] !== false) return all;
    const known = propertiesOf(input.json);
    return Object.fromEntries(Object.entries(all).filter(([key]) => Object.hasOwn(known, key)));
  }
}

const maxArgs = 1500;

function textOf({ id, message }: Approval, args: unknown): string {
  const json = JSON.stringify(args) ?? "";
  const shown = json.length > maxArgs ? `${json.slice(0, maxArgs).toWellFormed()}…` : json;
  return `${message}\nArguments: ${shown}\nDecide with: ${cliCommand(`approve ${id}`)} or ${cliCommand(`reject ${id}`)}`;
}
