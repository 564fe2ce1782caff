import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import {
  type TrustItem,
  type TrustKind,
  type TrustOptions,
  type TrustRequest,
  type Workspace,
  type WorkspaceOptions,
  findWorkspace,
  openWorkspace,
  trustFailure,
  workspaceFile,
} from "../../app/index.ts";
import { type FailureError, cliCommand, failureKinds, isFailureError, withCliCommands } from "../../base/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { type Invocation, shellWord } from "../program/invocation.ts";
import { formatTable, toOneLine } from "../terminal/format-table.ts";
import { logWrapped } from "../terminal/log-wrapped.ts";
import { promptYesNo } from "../terminal/prompt-yes-no.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { LogEntry } from "../../engine/index.ts";
import { shortText } from "../terminal/short-text.ts";

/** Variable that trusts every workspace, for CI; `--trust` sets it. */
export const trustVariable = "WINDLASS_TRUST";

/** Options of {@link openHere}. */
export interface OpenHereOptions extends Pick<WorkspaceOptions, "store" | "reload" | "requestApproval" | "onLog"> {
  /** Name of the work that the command executes and records, such as "the call". Default: none, it only inspects. */
  readonly executes?: string;
  /** True for an error of the store with which the command can do without one: everything is then in memory. */
  readonly orInMemory?: (error: FailureError) => boolean;
}

/** The workspace of the current folder, as a command uses it. */
export interface OpenedHere {
  readonly workspace: Workspace;
  /** Reason why nothing can be stored; undefined if it can be, or need not be. */
  readonly notStored: FailureError | undefined;
  /** Failures to record what was executed. Reported when it is closed. */
  readonly storeFailures: FailureError[];
  readonly close: () => Promise<void>;
}

/**
 * Opens the workspace of the current folder, by default in memory and without watching for changes. All commands open it
 * here: at a terminal, the user is prompted to trust it; elsewhere, parts without trust are not used, and reported.
 */
export async function openHere(terminal: Terminal, options: OpenHereOptions = {}): Promise<OpenedHere> {
  const { store = "memory", executes, orInMemory, ...more } = options;
  const storeFailures: FailureError[] = [];
  const open = (where: WorkspaceOptions["store"]): Promise<Workspace> =>
    openWorkspace(".", {
      reload: false,
      onSlowLoad: reportSlowLoad(terminal),
      ...(executes !== undefined && {
        onStoreError: (failure) => storeFailures.push(failure),
        onLog: (entry) => reportLogEntry(terminal, entry),
      }),
      ...more,
      ...(where !== undefined && { store: where }),
      ...trustOptions(terminal),
    });
  let notStored: FailureError | undefined;
  const workspace = await open(store).catch((error: unknown) => {
    if (!isFailureError(error) || orInMemory?.(error) !== true) throw error;
    notStored = error;
    return open("memory");
  });
  reportUntrusted(workspace, terminal);
  const close = (): Promise<void> =>
    executes === undefined ? workspace.close() : closeAndReport(workspace, { terminal, storeFailures, executes });
  return { workspace, notStored, storeFailures, close };
}

interface Closing extends Pick<OpenedHere, "storeFailures"> {
  readonly terminal: Terminal;
  readonly executes: string;
}

/** The result has already been printed and stays valid: failures to record it are reported separately, once. */
async function closeAndReport(workspace: Workspace, { terminal, storeFailures, executes }: Closing): Promise<void> {
  const warn = (text: string, todo: string): void => {
    terminal.log(`${terminal.tint("yellow", "warning:")} ${toOneLine(text)}`);
    terminal.log(`  ${terminal.tint("cyan", todo)}`);
  };
  try {
    await workspace.close();
    const [first] = storeFailures;
    if (first !== undefined) warn(first.message, withCliCommands(failureKinds[first.code].remedy));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = isFailureError(error) ? error.code : "store_failed";
    warn(`${executes} was not recorded: ${message}`, withCliCommands(failureKinds[code].remedy));
  }
}

/** Options for the trust in the workspace. */
export function trustOptions(terminal: Terminal): TrustOptions {
  if (process.env[trustVariable] === "1") return {};
  if (!terminal.interactive) return { trust: "stored" };
  return { trust: "stored", requestTrust: (request) => promptTrust(request, terminal) };
}

/** Throws if a part of the workspace is not trusted: the command may need any of them. */
export function requireTrust({ untrusted, dir }: Pick<Workspace, "untrusted" | "dir">): void {
  if (untrusted.length === 0) return;
  throw trustFailure("not_trusted", `this workspace is not trusted; review and trust it with: ${trustCommand(dir)}`);
}

/** The command that reviews and trusts a workspace. */
export function trustCommand(dir: string): string {
  return cliCommand(process.cwd() === dir ? "trust" : `trust ${shellWord(dir)}`);
}

/** More are counted, not named. */
const maxNamed = 3;

/** Reports that parts of the workspace are not used. */
export function reportUntrusted({ untrusted, dir }: Pick<Workspace, "untrusted" | "dir">, terminal: Terminal): void {
  if (untrusted.length === 0) return;
  const named = untrusted.slice(0, maxNamed).map(({ kind, text }) => `${kindTexts[kind].noun} ${toOneLine(text)}`);
  const more = untrusted.length > maxNamed ? ` and ${untrusted.length - maxNamed} more` : "";
  const message = `this workspace is not trusted, so some parts are not used: ${named.join("; ")}${more}`;
  logWrapped(message, terminal, { lead: `${terminal.tint("yellow", "warning:")} ` });
  logWrapped(`review and trust it with: ${trustCommand(dir)}`, terminal, { lead: "  ", style: "cyan" });
}

/** Names of the kinds: in a list of what the workspace would do, and in a sentence. */
const kindTexts: Readonly<Record<TrustKind, { readonly title: string; readonly noun: string }>> = {
  code: { title: "run code", noun: "the code" },
  command: { title: "run a command", noun: "the command" },
  server: { title: "start or connect to", noun: "the MCP server" },
  data: { title: "use the data in", noun: "the data folder" },
  secret: { title: "send a secret", noun: "the secret" },
  environment: { title: "read a variable", noun: "the variable" },
  model: { title: "send prompts to", noun: "the model at" },
  network: { title: "reach", noun: "the address" },
  trigger: { title: "start runs by itself", noun: "the trigger" },
  setting: { title: "change a default", noun: "the setting" },
};

/** More items of a kind are counted in a prompt; `windlass trust --list` shows all. */
const maxPrompted = 20;

/** Lines that show what a workspace would do. */
export function trustLines(
  items: readonly TrustItem[],
  { width, max = Infinity }: { readonly width: number | undefined; readonly max?: number },
): string[] {
  const rows = [...Map.groupBy(items, ({ kind }) => kind)].flatMap(([kind, all]) => {
    const shown = all.slice(0, max).map(({ text }) => [kindTexts[kind].title, stripUnsafe(text)]);
    return all.length > max ? [...shown, ["", `and ${all.length - max} more`]] : shown;
  });
  const columns = [{ title: "" }, { title: "", long: "wrap" }] as const;
  return formatTable(rows, { columns, width: width === undefined ? undefined : width - 2 }).map((line) => `  ${line}`);
}

async function promptTrust({ dir, items, undecided }: TrustRequest, terminal: Terminal): Promise<boolean> {
  const isNew = undecided.length === items.length;
  const title = isNew ? "This workspace is not trusted yet" : "This workspace has parts that you have not trusted yet";
  logWrapped(`${title}: ${toOneLine(dir)}`, terminal, { style: "bold" });
  terminal.log("It would:");
  for (const line of trustLines(undecided, { width: terminal.sideColumns, max: maxPrompted })) terminal.log(line);
  const verdict = await promptYesNo(
    { terminal, prompt: "Trust it? [y/N] ", unclear: "Type y or n." },
    new AbortController().signal,
  );
  if (verdict !== true) terminal.log(`Not trusted. To decide again: ${trustCommand(dir)}`);
  return verdict === true;
}

/**
 * Enters the workspace of the chain file that a word names, as `-C` does: its tools and its runs are there. A file
 * outside of any workspace is used in the current one.
 */
export async function enterChainWorkspace(invocation: Invocation, at: number): Promise<Invocation> {
  const file = resolve(invocation.words[at] ?? "");
  if (!existsSync(file)) return invocation;
  const dir = await findWorkspace(dirname(file));
  if (!existsSync(join(dir, workspaceFile)) || dir === (await findWorkspace("."))) return invocation;
  const input = invocation.text("input");
  // Another path of the command line stays relative to the folder in which it was typed.
  const typed = input?.startsWith("@") === true ? `@${resolve(input.slice(1))}` : input;
  const entered = join(invocation.dir ?? "", relative(".", dir));
  process.chdir(dir);
  return {
    ...invocation,
    words: invocation.words.with(at, relative(dir, file)),
    dir: entered,
    text: (name) => (name === "input" ? typed : invocation.text(name)),
  };
}

/** Reports the tool file that delays the command. */
export function reportSlowLoad(terminal: Terminal): (file: string) => void {
  return (file) => terminal.log(terminal.tint("dim", `${toOneLine(file)} is still loading …`));
}

/** Reports a line that a tool logs, or the log of a server. */
export function reportLogEntry(terminal: Terminal, { message, data }: LogEntry): void {
  reportToolLog(terminal, data === undefined ? message : `${message} ${shortText(data)}`);
}

/** Reports the progress of a tool. */
export function reportToolLog(terminal: Terminal, value: unknown): void {
  terminal.log(terminal.tint("dim", `· ${shortText(value)}`));
}
