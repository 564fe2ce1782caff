import { dirname, join } from "node:path";
import { stripUnsafe, type Problem, hasErrors } from "../../../text/index.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { formatCount, formatBytes } from "../../terminal/format-figures.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import type { Style, Terminal } from "../../terminal/terminal.ts";
import type { SqliteStore } from "../../../adapters/index.ts";
import {
  type Workspace,
  pathExists,
  findIgnoredFiles,
  findWorkspace,
  readSettings,
  workspaceFile,
  isWorkspaceError,
} from "../../../app/index.ts";
import { cliCommand, isFailureError, isReadOnly } from "../../../base/index.ts";
import { defaultPermissions } from "../../../engine/index.ts";
import { isWeakSecret } from "../../../secrets/index.ts";
import { openHere, trustCommand } from "../../open/open-here.ts";
import { journalFile, readStore } from "../../open/open-journal.ts";
import { relativeToCwd } from "../../terminal/report-problems.ts";
import { type Finding, examineAgent, examineServers, finding, problemFinding } from "./check-servers.ts";
import { examineMessages } from "./check-messages.ts";
import { examineServices } from "./check-services.ts";

/** `windlass doctor`. */
export const examine: RunCommand = async (invocation) => {
  const { terminal } = invocation;
  const findings = await examineWorkspace(terminal, invocation.flag("network"));
  const failed = findings.filter(({ status }) => status === "fail").length;
  if (invocation.flag("json")) {
    terminal.print(safeJson({ ok: failed === 0, findings }));
  } else {
    const width = Math.max(...findings.map(({ about }) => about.length));
    for (const { about, status, message, todo } of findings) {
      const mark = terminal.paint(styles[status], status.padEnd(4));
      terminal.print(`${mark}  ${about.padEnd(width)}  ${toOneLine(message)}`);
      for (const line of todo === undefined ? [] : stripUnsafe(todo).split("\n")) {
        terminal.print(`${" ".repeat(width + 8)}${terminal.paint("cyan", line)}`);
      }
    }
    terminal.print(`\n${conclusionOf(findings)}`);
  }
  return failed === 0 ? exitCodes.ok : exitCodes.failed;
};

/** The last line: the number of problems, or what is not configured. */
function conclusionOf(findings: readonly Finding[]): string {
  const count = (requested: Finding["status"]): number => findings.filter(({ status }) => status === requested).length;
  const [failed, warned] = [count("fail"), count("warn")];
  if (failed + warned > 0) return `${formatCount(failed, "failure")}, ${formatCount(warned, "warning")}`;
  const off = new Set(findings.filter(({ status }) => status === "off").map(({ about }) => about));
  return off.size === 0 ? "No problems found." : `No problems found. Not configured: ${[...off].join(", ")}.`;
}

const styles: Readonly<Record<Finding["status"], Style>> = { ok: "green", off: "dim", warn: "yellow", fail: "red" };

/**
 * Checks everything that a workspace needs. Loads its tools, but calls none. With `network`, also sends test requests to
 * the configured services.
 */
async function examineWorkspace(terminal: Terminal, network: boolean): Promise<Finding[]> {
  const dir = await findWorkspace(".");
  const { problems, source } = await readSettings(dir);
  const node = nodeFinding(process.versions.node);
  const file = source === undefined ? undefined : relativeToCwd(join(dir, workspaceFile));
  const unopened = async (wrong: readonly Problem[]): Promise<Finding[]> => [
    node,
    ...settingsFindings(file, wrong),
    ...(await databaseFindings(dir)),
  ];
  if (hasErrors(problems)) return unopened(problems);
  const opened = await openHere(terminal).catch(problemsOf);
  if (!("workspace" in opened)) return unopened([...problems, ...opened]);
  const { workspace, close } = opened;
  try {
    const aboutSettings = workspace.problems().filter((problem) => problem.file === workspaceFile);
    return [
      node,
      ...settingsFindings(file, aboutSettings),
      ...trustFindings(workspace),
      ...toolFindings(workspace),
      ...skillFindings(workspace),
      ...(await examineServers(workspace.sources.mcp, network)),
      ...capabilityFindings(workspace),
      ...chainFindings(workspace),
      ...(await findIgnoredFiles(dir, workspace.config)).map((problem) => problemFinding("files", problem)),
      ...secretFindings(workspace),
      ...policyFindings(workspace),
      ...(await examineServices(workspace, network)),
      ...examineAgent(workspace),
      ...telemetryFindings(workspace),
      ...(await examineMessages(workspace)),
      ...(await databaseFindings(dir)),
    ];
  } finally {
    await close();
  }
}

/** Problems in the settings that prevent a workspace from opening, once its tools are known. */
function problemsOf(error: unknown): readonly Problem[] {
  if (isWorkspaceError(error)) return error.problems;
  throw error;
}

const oldestNode = 24;

function nodeFinding(version: string): Finding {
  const message = `Node ${version}`;
  if (Number.parseInt(version, 10) >= oldestNode) return finding("node", "ok", message);
  return finding("node", "fail", message, `install Node ${oldestNode} or newer`);
}

function settingsFindings(file: string | undefined, problems: readonly Problem[]): Finding[] {
  if (file === undefined) {
    const message = `no ${workspaceFile} in this folder or its parents; using the built-in tools and default settings`;
    return [finding("workspace", "ok", message)];
  }
  if (problems.length === 0) return [finding("workspace", "ok", file)];
  return problems.map((problem) => problemFinding("workspace", problem));
}

/** Empty if everything is trusted. */
function trustFindings({ untrusted, dir }: Workspace): Finding[] {
  if (untrusted.length === 0) return [];
  const message = `not trusted, so ${formatCount(untrusted.length, "part")} of the workspace are not used or checked`;
  return [finding("trust", "warn", message, `review them with: ${trustCommand(dir)}`)];
}

function toolFindings(workspace: Workspace): Finding[] {
  const tools = workspace.engine.tools.list().filter(({ source }) => source !== "chains");
  const usable = tools.filter(({ tool }) => tool.broken === undefined).length;
  const loaded = finding("tools", "ok", `${formatCount(usable, "tool")} available`);
  return [loaded, ...workspace.sources.folder.problems().map((problem) => problemFinding("tools", problem))];
}

function skillFindings({ sources: { skills }, config, untrusted }: Workspace): Finding[] {
  if (skills === undefined) return [];
  const about = "skills";
  const count = skills.skills().length;
  const findings = [
    ...codeFindings(skills.codeFiles(), config.skills.code, untrusted),
    ...skills.problems().map((problem) => problemFinding(about, problem)),
  ];
  if (count === 0) return findings;
  return [finding(about, "ok", `${formatCount(count, "skill")} available`), ...findings];
}

/** Files next to skills that run as code; if the setting is missing, they are reported as problems. */
function codeFindings(
  files: readonly string[],
  code: boolean | undefined,
  untrusted: Workspace["untrusted"],
): Finding[] {
  if (files.length === 0 || code === undefined) return [];
  const isWithheld = untrusted.some(({ kind, text }) => kind === "code" && files.some((file) => text.includes(file)));
  const state = !code ? "not loaded" : isWithheld ? "not trusted, so it is not loaded" : "loaded";
  const message = `code next to them is ${state}: ${files.join(", ")}`;
  return [finding("skills", code && !isWithheld ? "ok" : "off", message)];
}

/** Tools that serve the capabilities of the workspace; a capability without a tool is reported as a problem. */
function capabilityFindings({ hub }: Workspace): Finding[] {
  const described = hub
    .capabilities()
    .filter(({ tools, contract }) => contract?.file !== undefined && tools.length > 0);
  return described.map(({ name, tools, unfit }) => {
    const others = unfit.length === 0 ? "" : `; not by ${unfit.join("; ")}`;
    return finding("capabilities", "ok", `${name}: served by ${tools.join(", ")}${others}`);
  });
}

function chainFindings(workspace: Workspace): Finding[] {
  const { chains, chainFolder, sources, config } = workspace;
  // Sources create their problems anew on each call, so they are compared by content.
  const others = new Set(sources.problems().map((problem) => JSON.stringify(problem)));
  const problems = workspace
    .problems()
    .filter((found) => found.file !== workspaceFile && !others.has(JSON.stringify(found)));
  const usable = chains.names().filter((name) => !hasErrors(chains.problems(name))).length;
  const lacking = chains
    .names()
    .filter((name) => chainFolder.fileOf(name) === undefined && hasErrors(chains.problems(name)));
  const without = lacking.length === 0 ? "" : `; built in, but with missing tools: ${lacking.join(", ")}`;
  const message = `${formatCount(usable, "chain")} available${without}`;
  const aboutOf = ({ file }: Problem): string =>
    file.startsWith(`${config.capabilities.directory}/`) ? "capabilities" : "chains";
  const found = problems.map((problem) => problemFinding(aboutOf(problem), problem));
  return [finding("chains", "ok", message), ...found];
}

function secretFindings({ config, missingSecrets, engine }: Workspace): Finding[] {
  const about = "secrets";
  const names = Object.keys(config.secrets);
  if (names.length === 0) return [];
  const found = names.length - missingSecrets.length;
  return [
    ...(found > 0 ? [finding(about, "ok", `${found} of ${formatCount(names.length, "secret")} found`)] : []),
    ...missingSecrets.map(({ name, why }) => finding(about, "warn", `${name} has no value`, why)),
    ...names.filter((name) => isWeakSecret(engine.secrets.get(name) ?? "")).map(ordinaryFinding),
  ];
}

/** The value itself must never be shown. */
function ordinaryFinding(name: string): Finding {
  const message = `the value of ${name} is short or a common word, so it is redacted wherever that word occurs`;
  const todo = `if it is not secret, such as a user name, write it where it is used; otherwise choose a longer value`;
  return finding("secrets", "warn", message, todo);
}

function policyFindings({ config }: Workspace): Finding[] {
  const { allow } = config.network;
  const rules = { ...defaultPermissions, ...config.permissions };
  const list = (items: readonly string[]): string => (items.length === 0 ? "nothing" : items.join(", "));
  const network = allow.length === 0 ? "public addresses only" : `public addresses, and ${allow.join(", ")}`;
  const permissions = `deny ${list(rules.deny)}; ask for ${list(rules.ask)}; allow ${list(rules.allow)}`;
  return [finding("network", "ok", network), finding("permissions", "ok", permissions)];
}

/** Empty if telemetry is not enabled. */
function telemetryFindings({ tracing, config }: Workspace): Finding[] {
  const about = "telemetry";
  if (tracing === undefined) return [];
  const contents = config.telemetry.captureContent ? "with their content, redacted" : "without their content";
  if (tracing.active) return [finding(about, "ok", `calls, runs and prompts are traced, ${contents}`)];
  const message = "enabled, but no OpenTelemetry SDK is registered in this process, so nothing is traced";
  return [finding(about, "warn", message, 'register one first: NODE_OPTIONS="--import ./tracing.mjs"')];
}

async function databaseFindings(dir: string): Promise<Finding[]> {
  const about = "database";
  const file = journalFile(dir);
  const readOnly = await readOnlyFindings(dir, file);
  if (!(await pathExists(file))) {
    if (readOnly.length > 0) return readOnly;
    return [finding(about, "ok", "none yet; the first call creates it")];
  }
  try {
    const store = await readStore(file);
    try {
      const { records, approvals, runs, bytes } = await store.stats();
      const { version, faults } = await store.check();
      const left = [...readOnly, ...(await runFindings(store))];
      const size = `${formatBytes(bytes)}, ${formatCount(records, "record")}, ${formatCount(runs, "run")}, ${formatCount(approvals, "approval")}`;
      const message = `${relativeToCwd(file)}: version ${version}, ${size}`;
      if (faults.length === 0) return [finding(about, "ok", `${message}, intact`), ...left];
      const todo = "restore a backup, or move the file away and start over";
      return [finding(about, "fail", `${message}; damaged: ${faults.join("; ")}`, todo), ...left];
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!isFailureError(error)) throw error;
    return [finding(about, "fail", error.message), ...readOnly];
  }
}

/** A finding if this user cannot write to the database, or cannot create it. */
async function readOnlyFindings(dir: string, file: string): Promise<Finding[]> {
  // SQLite creates files beside the database, so its folder matters as well; else the folder in which it is created.
  const folder = (await pathExists(dirname(file))) ? dirname(file) : dir;
  const path = [file, folder].find(isReadOnly);
  if (path === undefined) return [];
  const message = `${relativeToCwd(path)} is read-only for this user: only pure tools can be called, nothing is recorded, and runs cannot start`;
  return [finding("database", "warn", message, "give this user permission to write to the folder")];
}

/** Runs that need an action of the user. */
async function runFindings({ runs }: SqliteStore): Promise<Finding[]> {
  const about = "runs";
  const left = await runs.list({ abandoned: true });
  // Runs that wait for events and times need no one.
  const waiting = (await runs.list({ status: "waiting" })).filter(({ waitsFor }) => waitsFor?.events === undefined);
  const named = (found: typeof left): string => {
    const shown = found.slice(0, 3).map(({ id, name }) => `${id} of ${name}`);
    return `${shown.join(", ")}${found.length > 3 ? ", …" : ""}`;
  };
  const findings: Finding[] = [];
  if (left.length > 0) {
    const message = `${formatCount(left.length, "run")} interrupted, because the process has died: ${named(left)}`;
    findings.push(finding(about, "warn", message, `resume them with: ${cliCommand("resume")}`));
  }
  if (waiting.length > 0) {
    const message = `${formatCount(waiting.length, "run")} waiting for approval: ${named(waiting)}`;
    findings.push(finding(about, "warn", message, `list them with: ${cliCommand("approvals")}`));
  }
  return findings;
}
