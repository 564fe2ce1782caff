import type { Workspace } from "../../../app/index.ts";
import {
  FailureError,
  type Failure,
  type FailureCode,
  failureKinds,
  withCliCommands,
  definedOnly,
} from "../../../base/index.ts";
import type { CallHooks } from "../../../engine/index.ts";
import { type JsonSchema, unknownKeys } from "../../../schema/index.ts";
import {
  type Attachment,
  type ToolResult,
  toWireResult,
  readSourceReport,
  type ToolError,
} from "../../../tool/index.ts";
import { promptCallApproval } from "../../approvals/prompt-call-approval.ts";
import { elicitAtTerminal } from "../../approvals/elicit-at-terminal.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { exitCodes, type ExitCode } from "../../program/exit-codes.ts";
import { formatBytes } from "../../terminal/format-figures.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { type Invocation, commandLine, shellWord } from "../../program/invocation.ts";
import { openHere } from "../../open/open-here.ts";
import { prepareForCall } from "../../open/prepare-servers.ts";
import { type CliArguments, readArguments } from "./read-arguments.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { showWaiting } from "../../open/show-waiting.ts";
import { withThrowLocation } from "../../open/watch-tool-errors.ts";
import { warnUnmatchedRules } from "../../open/warn-unmatched-rules.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { userName } from "../../terminal/user-name.ts";
import { type Interrupts, watchInterrupts } from "../../program/watch-interrupts.ts";
import { codeOf, reportFormattedError } from "../../program/report-error.ts";

/** `windlass call`. */
export const callTool: RunCommand = (invocation) =>
  invocation.server === undefined ? callHere(invocation) : callRemotely(invocation);

async function callHere(invocation: Invocation): Promise<ExitCode> {
  const interrupts = watchInterrupts();
  // Without a database, only pure tools may be called: their calls leave nothing to be known later.
  const { workspace, notStored, storeFailures, close } = await openHere(invocation.terminal, {
    store: "sqlite",
    executes: "the call",
    orInMemory: ({ reason }) => unwritableReasons.has(reason ?? ""),
    ...(invocation.terminal.interactive && { requestApproval: promptCallApproval(invocation.terminal, userName()) }),
  });
  try {
    const [name = "", ...pairs] = invocation.words;
    await prepareForCall(name, { workspace, terminal: invocation.terminal, signal: interrupts.signal });
    warnUnmatchedRules(workspace, invocation);
    const tool = workspace.hub.resolve(name)?.tool;
    // Without the tool's schema its arguments cannot be parsed; the call then fails with the unknown tool, which is the
    // error to report.
    const parsedInput =
      tool === undefined ? nothing : await readArguments(pairs, "--args", invocation.text("args"), tool.input.json);
    const result = await makeCall({ invocation, workspace, interrupts, name, input: parsedInput, notStored });
    if (notStored !== undefined && result.success) storeFailures.push(notRecorded(notStored));
    const broken = workspace.problems().filter(({ severity }) => severity === "error");
    const brokenFiles = new Set(broken.map(({ file }) => file)).size;
    printResult(result, { invocation, brokenFiles, input: parsedInput, schema: tool?.input.json });
    return interrupts.code ?? (result.success ? exitCodes.ok : exitCodeOf(result.error));
  } finally {
    await close();
    interrupts.dispose();
  }
}

/** Calls a tool of the server. */
async function callRemotely(invocation: Invocation): Promise<ExitCode> {
  const interrupts = watchInterrupts();
  try {
    const { api } = (await import("../../remote/open-remote.ts")).openRemote(invocation);
    const [name = "", ...pairs] = invocation.words;
    const schema = (await api.find("get_tool", { params: { name } }))?.input_schema;
    const text = invocation.text("args");
    const input = schema === undefined ? nothing : await readArguments(pairs, "--args", text, schema);
    interrupts.arm({ onStop: () => invocation.terminal.log("Cancelling; press Ctrl-C again to exit immediately.") });
    const { sendCall } = await import("../../remote/send-call.ts");
    const result = await sendCall(api, { name, input, invocation, signal: interrupts.signal });
    printResult(result, { invocation, brokenFiles: 0, input, schema });
    return interrupts.code ?? (result.success ? exitCodes.ok : exitCodeOf(result.error));
  } finally {
    interrupts.dispose();
  }
}

const nothing: CliArguments = { args: {} };

/** Reasons of a database that cannot be written to by this user. */
const unwritableReasons: ReadonlySet<string> = new Set(["read_only", "no_permission", "cannot_open"]);

function notRecorded({ message, code, reason }: FailureError): FailureError {
  return new FailureError(`the call was not recorded: ${message}`, { code, ...(reason !== undefined && { reason }) });
}

interface CallPreparation {
  readonly invocation: Invocation;
  readonly workspace: Workspace;
  readonly interrupts: Interrupts;
  readonly name: string;
  readonly input: CliArguments;
  readonly notStored: FailureError | undefined;
}

async function makeCall(preparation: CallPreparation): Promise<ToolResult> {
  const { invocation, workspace, interrupts, name, input, notStored } = preparation;
  const { terminal } = invocation;
  const { engine } = workspace;
  const seconds = invocation.number("timeout");
  const retries = invocation.number("retries");
  const conversationId = invocation.text("conversation");
  const waiting = showWaiting(workspace, terminal, name);
  interrupts.arm({ onStop: () => terminal.log("Cancelling; press Ctrl-C again to exit immediately.") });
  try {
    return await engine.call(name, input.args, {
      callerId: "cli",
      signal: interrupts.signal,
      strictValidation: new Set(Object.keys(input.args)),
      ...(notStored !== undefined && { hooks: pureOnly(notStored) }),
      ...(seconds !== undefined && { overrideTimeoutMs: seconds * 1000 }),
      onProgress: (value) => waiting.progress(engine.redactor.known(value)),
      ...(terminal.interactive && { elicit: elicitAtTerminal({ terminal, pause: waiting.pause }) }),
      ...definedOnly({ maxRetries: retries, conversationId }),
    });
  } finally {
    waiting.stop();
  }
}

/** Lets only pure tools start. */
function pureOnly({ message, code, reason }: FailureError): CallHooks {
  // Never retried: the hook is called once.
  const refusal = new FailureError(message, { code, retry: "never", ...(reason !== undefined && { reason }) });
  return { started: (effect) => (effect === "pure" ? undefined : Promise.reject(refusal)) };
}

function printResult(
  result: ToolResult,
  {
    invocation,
    brokenFiles,
    input,
    schema,
  }: {
    readonly invocation: Invocation;
    /** Number of workspace files that could not be loaded. */
    readonly brokenFiles: number;
    readonly input: CliArguments;
    /** The schema of the tool; undefined if there is no such tool. */
    readonly schema: JsonSchema | undefined;
  },
): void {
  const { terminal } = invocation;
  const json = invocation.flag("json");
  if (json) terminal.print(safeJson(toWireResult(result)));
  if (!result.success) {
    reportCallFailure(withThrowLocation(result), { invocation, brokenFiles, forms: input.forms });
    return;
  }
  if (!json) {
    terminal.print(safeJson(result.output));
    for (const attachment of result.attachments ?? []) terminal.log(terminal.tint("dim", describe(attachment)));
  }
  warnAboutFailed(terminal, result);
  if (schema !== undefined && result.meta.ignored !== undefined) warnAboutIgnored(terminal, schema, input);
}

/**
 * Warns if some providers failed: a partial result must not look complete, and an empty one not like a search that
 * found nothing.
 */
function warnAboutFailed(terminal: Terminal, { meta }: ToolResult): void {
  for (const { tool, code, message } of readSourceReport(meta)?.failed ?? []) {
    const why = toOneLine(`${tool} failed: ${message}`);
    terminal.log(`${terminal.tint("yellow", "warning:")} ${why} ${terminal.tint("dim", `[${code}]`)}`);
  }
}

/** Warns about keys inside of arguments that the tool ignored; unknown arguments were rejected earlier. */
function warnAboutIgnored(terminal: Terminal, schema: JsonSchema, { args }: CliArguments): void {
  for (const { message } of unknownKeys(schema, args)) {
    terminal.log(`${terminal.tint("yellow", "warning:")} ignored: ${toOneLine(message)}`);
  }
}

function describe({ kind, mimeType, name, data }: Attachment): string {
  const title = name === undefined ? kind : `${kind} ${toOneLine(name)}`;
  return `attached: ${title} (${toOneLine(mimeType)}, ${formatBytes(data.byteLength)}); --json prints it in base64`;
}

/** Context of a failed call. */
interface CallFailureContext {
  readonly invocation: Invocation;
  /** Number of workspace files that could not be loaded: a missing tool may be in one of them. */
  readonly brokenFiles: number;
  /** The JSON form of values that were written as plain text and cannot be, by key. */
  readonly forms?: ReadonlyMap<string, string> | undefined;
}

const codes: Partial<Record<FailureCode, ExitCode>> = {
  validation_error: exitCodes.usage,
  tool_not_found: exitCodes.usage,
  approval_required: exitCodes.waiting,
  timeout: exitCodes.timeout,
  queue_timeout: exitCodes.timeout,
};

/** Exit code for a failed call. */
function exitCodeOf({ code, reason }: Failure): ExitCode {
  if (reason === "not_trusted") return exitCodes.usage;
  return codes[code] ?? exitCodes.failed;
}

/** Reports why a call failed, and what to do next. */
function reportCallFailure(result: ToolError, context: CallFailureContext): void {
  const { error, tool } = result;
  const issues = error.issues ?? [];
  const details = issues.map(({ message, suggestion }) =>
    suggestion === undefined || message.includes(suggestion) ? message : `${message}, did you mean "${suggestion}"?`,
  );
  // The engine's message lists the issues in one line; here each has its own.
  const message =
    error.code === "validation_error" && issues.length > 0 ? `invalid arguments for ${tool}` : error.message;
  reportFormattedError(context.invocation.terminal, {
    message,
    code: codeOf(error),
    details,
    hints: [...issues.flatMap(({ path }) => context.forms?.get(String(path[0])) ?? []), ...hintsFor(result, context)],
  });
}

function hintsFor({ error, tool }: ToolError, { invocation, brokenFiles }: CallFailureContext): string[] {
  switch (error.code) {
    case "tool_not_found": {
      if (error.reason === "broken_file") return [`for details: ${commandLine(invocation, "validate")}`];
      const broken = `some files could not be loaded; for details: ${commandLine(invocation, "validate")}`;
      return [`list tools with: ${commandLine(invocation, "tools")}`, ...(brokenFiles > 0 ? [broken] : [])];
    }
    case "validation_error":
      return [`show its parameters with: ${commandLine(invocation, "tools", "show", shellWord(tool))}`];
    case "approval_required":
      return error.approvalId === undefined
        ? [withCliCommands(failureKinds.approval_required.remedy)]
        : [`approve it with: ${commandLine(invocation, "approve", error.approvalId)}; then repeat the call`];
    case "executor_not_found":
      return [`find where it is referenced with: ${commandLine(invocation, "validate")}`];
    case "output_invalid":
      return error.reason === "contract" ? [contractHint(tool, invocation)] : remedyOf(error);
    case "timeout":
      return ["allow more time with --timeout SECONDS"];
    default:
      return remedyOf(error);
  }
}

/** The tool itself may be fine: the mapping of its output does not match the contract. */
function contractHint(tool: string, invocation: Invocation): string {
  return `fix \`output\`, or the tool's \`result\`, in the contract; find it with: ${commandLine(invocation, "tools", "show", shellWord(tool))}`;
}

/** Remedies by code; empty if the message already contains the remedy, or if there is none. */
function remedyOf({ code, reason }: Failure): string[] {
  if (code === "execution_error" || code === "cancelled") return [];
  if (code === "permission_denied" && (reason === "rejected" || reason === "not_trusted")) return [];
  // A failure with a reason explains in its message what to do, and often there is nothing to do.
  if (code === "not_available" && reason !== undefined) return [];
  return [withCliCommands(failureKinds[code].remedy)];
}
