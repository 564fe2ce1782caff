import { type Workspace, openWorkspace } from "../../app/index.ts";
import type { FailureError } from "../../base/index.ts";
import { unknownKeys } from "../../schema/index.ts";
import { type AnyTool, type Attachment, type ToolResult, toWireResult, toldSources } from "../../tool/index.ts";
import { askAtTerminal } from "../ask-at-terminal.ts";
import { askQuestion } from "../ask-question.ts";
import { closeWorkspace } from "../close-workspace.ts";
import type { RunCommand } from "../command-spec.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatBytes } from "../format-figures.ts";
import { oneLine } from "../format-table.ts";
import type { Invocation } from "../invocation.ts";
import { prepareForCall } from "../prepare-servers.ts";
import { type GivenArguments, readArguments } from "../read-arguments.ts";
import { safeJson } from "../safe-json.ts";
import { shortText } from "../short-text.ts";
import { exitCodeOf, tellFailure } from "../tell-failure.ts";
import { withPlace } from "../thrown-tools.ts";
import { tellSlowLoad } from "../tell-slow-load.ts";
import { tellStep } from "../tell-step.ts";
import { tellUnguarded } from "../tell-unguarded.ts";
import type { Terminal } from "../terminal.ts";
import { typedTool } from "../typed-tool.ts";
import { userName } from "../user-name.ts";
import { type Interrupts, watchInterrupts } from "../watch-interrupts.ts";

/** `windlass call`. */
export const callTool: RunCommand = async (invocation) => {
  const interrupts = watchInterrupts();
  const storeFailures: FailureError[] = [];
  const workspace = await openForCalls(invocation.terminal, (failure) => storeFailures.push(failure));
  try {
    const [name = "", ...pairs] = invocation.words;
    await prepareForCall(name, { workspace, terminal: invocation.terminal, signal: interrupts.signal });
    tellUnguarded(workspace, invocation);
    const tool = workspace.hub.resolve(name)?.tool;
    // Without a tool there is no telling how its arguments are meant; that there is none is what has to be said.
    const given =
      tool === undefined
        ? nothing
        : await readArguments({ pairs, text: invocation.text("args"), option: "--args", schema: tool.input.json });
    const result = await makeCall({ invocation, workspace, interrupts, name, given });
    printResult(result, { invocation, workspace, given, tool });
    return interrupts.code ?? (result.success ? exitCodes.ok : exitCodeOf(result.error));
  } finally {
    await closeWorkspace(workspace, { terminal: invocation.terminal, storeFailures, what: "the call" });
    interrupts.dispose();
  }
};

const nothing: GivenArguments = { args: {}, typed: new Set() };

async function openForCalls(terminal: Terminal, onStoreError: (failure: FailureError) => void): Promise<Workspace> {
  const opened: Workspace = await openWorkspace(".", {
    reload: false,
    onStoreError,
    onSlowLoad: tellSlowLoad(terminal),
    onLog: ({ message, data }) => tellStep(terminal, data === undefined ? message : `${message} ${shortText(data)}`),
    ...(terminal.interactive && {
      approver: () => askAtTerminal({ terminal, by: userName(), approvals: () => opened.approvals }),
    }),
  });
  return opened;
}

interface Making {
  readonly invocation: Invocation;
  readonly workspace: Workspace;
  readonly interrupts: Interrupts;
  readonly name: string;
  readonly given: GivenArguments;
}

async function makeCall({ invocation, workspace, interrupts, name, given }: Making): Promise<ToolResult> {
  const { terminal } = invocation;
  const { engine } = workspace;
  const seconds = invocation.number("timeout");
  const retries = invocation.number("retries");
  const conversationId = invocation.text("conversation");
  const registration = engine.tools.resolve(name);
  if (registration !== undefined) {
    const typed = typedTool(registration.tool, {
      keys: given.typed,
      timeoutMs: seconds === undefined ? undefined : seconds * 1000,
    });
    engine.tools.register(typed, registration);
  }
  const waiting = showWaiting(workspace, terminal, name);
  interrupts.arm({ onStop: () => terminal.tell("Stopping; press Ctrl-C again to stop at once.") });
  try {
    return await engine.call(name, given.args, {
      callerId: "cli",
      signal: interrupts.signal,
      onProgress: (value) => tellStep(terminal, engine.redactor.known(value)),
      ...(terminal.interactive && { elicit: askQuestion({ terminal, pause: waiting.pause }) }),
      ...(retries !== undefined && { maxRetries: retries }),
      ...(conversationId !== undefined && { conversationId }),
    });
  } finally {
    waiting.stop();
  }
}

interface Waiting {
  /** Makes room for a question, until what it returns is called. */
  readonly pause: () => () => void;
  readonly stop: () => void;
}

/** Tells on a terminal that a call takes its time, once it does. */
function showWaiting({ engine }: Workspace, terminal: Terminal, name: string): Waiting {
  let timer: NodeJS.Timeout | undefined;
  let isPaused = false;
  const unsubscribe = engine.subscribe(() => {
    const startedAt = performance.now();
    timer ??= setInterval(() => {
      if (isPaused) return;
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      terminal.status(terminal.tint("dim", `waiting for ${oneLine(name)}, ${seconds} s`));
    }, 1000);
  }, ["execution_started"]);
  return {
    pause: () => {
      isPaused = true;
      terminal.status();
      return () => (isPaused = false);
    },
    stop: () => {
      unsubscribe();
      clearInterval(timer);
      terminal.status();
    },
  };
}

interface Printing {
  readonly invocation: Invocation;
  readonly workspace: Workspace;
  readonly given: GivenArguments;
  readonly tool: AnyTool | undefined;
}

function printResult(result: ToolResult, { invocation, workspace, given, tool }: Printing): void {
  const { terminal } = invocation;
  const json = invocation.flag("json");
  if (json) terminal.print(safeJson(toWireResult(result)));
  if (!result.success) {
    const broken = workspace.problems().filter(({ severity }) => severity === "error");
    const brokenFiles = new Set(broken.map(({ file }) => file)).size;
    tellFailure(withPlace(result), { invocation, brokenFiles });
    return;
  }
  if (!json) {
    terminal.print(safeJson(result.output));
    for (const attachment of result.attachments ?? []) terminal.tell(terminal.tint("dim", describe(attachment)));
  }
  warnAboutFailed(terminal, result);
  if (tool !== undefined) warnAboutIgnored(terminal, tool, given);
}

/** An answer that lacks a part must not pass for the whole: nothing found is not nobody asked. */
function warnAboutFailed(terminal: Terminal, { meta }: ToolResult): void {
  for (const { tool, code, message } of toldSources(meta)?.failed ?? []) {
    const why = oneLine(`${tool} failed: ${message}`);
    terminal.tell(`${terminal.tint("yellow", "warning:")} ${why} ${terminal.tint("dim", `[${code}]`)}`);
  }
}

/** What a program put into --args and the tool ignored is worth a word; what a person typed was refused before. */
function warnAboutIgnored(terminal: Terminal, tool: AnyTool, { args }: GivenArguments): void {
  for (const { message } of unknownKeys(tool.input.json, args)) {
    terminal.tell(`${terminal.tint("yellow", "warning:")} ignored: ${oneLine(message)}`);
  }
}

function describe({ kind, mimeType, name, data }: Attachment): string {
  const title = name === undefined ? kind : `${kind} ${oneLine(name)}`;
  return `attached: ${title} (${oneLine(mimeType)}, ${formatBytes(data.byteLength)}); --json prints it in base64`;
}
