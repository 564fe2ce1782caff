import { join } from "node:path";
import { type SqliteStore, openSqlite } from "../adapters/index.ts";
import {
  type Workspace,
  WorkspaceError,
  exists,
  findWorkspace,
  openWorkspace,
  readSettings,
  workspaceFile,
} from "../app/index.ts";
import { isFailureError } from "../base/index.ts";
import { defaultPermissions } from "../engine/index.ts";
import { type Problem, createRedactor, hasErrors, isOrdinaryWord } from "../text/index.ts";
import { examineAgent } from "./examine-agent.ts";
import { examineServices } from "./examine-services.ts";
import { examineServers } from "./examine-servers.ts";
import type { Finding } from "./finding.ts";
import { formatBytes, formatCount } from "./format-figures.ts";
import { journalFile } from "./open-journal.ts";
import { problemFinding } from "./problem-finding.ts";
import { fromHere } from "./tell-problems.ts";

/** How a workspace is looked at. */
export interface ExamineOptions {
  /** Hears of files of tools that are slow to load. */
  readonly onSlowLoad: (file: string) => void;
  /** Also ask the services that are set up, over the network. */
  readonly network: boolean;
}

/** Looks at everything that a workspace needs. Loads its tools, and calls none. */
export async function examineWorkspace(from: string, { onSlowLoad, network }: ExamineOptions): Promise<Finding[]> {
  const dir = await findWorkspace(from);
  const { problems, source } = await readSettings(dir);
  const node = nodeFinding(process.versions.node);
  const file = source === undefined ? undefined : fromHere(join(dir, workspaceFile));
  const unopened = async (wrong: readonly Problem[]): Promise<Finding[]> => [
    node,
    ...settingsFindings(file, wrong),
    ...(await databaseFindings(dir)),
  ];
  if (hasErrors(problems)) return unopened(problems);
  const workspace = await openWorkspace(dir, { store: "memory", reload: false, onSlowLoad }).catch(problemsOf);
  if (!("engine" in workspace)) return unopened([...problems, ...workspace]);
  try {
    const aboutSettings = workspace.problems().filter((problem) => problem.file === workspaceFile);
    return [
      node,
      ...settingsFindings(file, aboutSettings),
      ...toolFindings(workspace),
      ...skillFindings(workspace),
      ...(await examineServers(workspace.sources.mcp, network)),
      ...capabilityFindings(workspace),
      ...chainFindings(workspace),
      ...secretFindings(workspace),
      ...policyFindings(workspace),
      ...(await examineServices({ dir, config: workspace.config, env: process.env, network })),
      ...examineAgent(workspace),
      ...telemetryFindings(workspace),
      ...(await databaseFindings(dir)),
    ];
  } finally {
    await workspace.close();
  }
}

/** What the settings say that keeps a workspace from opening, once its tools are known. */
function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof WorkspaceError) return error.problems;
  throw error;
}

const oldestNode = 24;

function nodeFinding(version: string): Finding {
  const message = `Node ${version}`;
  if (Number.parseInt(version, 10) >= oldestNode) return { about: "node", status: "ok", message };
  return { about: "node", status: "fail", message, todo: `install Node ${oldestNode} or newer` };
}

function settingsFindings(file: string | undefined, problems: readonly Problem[]): Finding[] {
  if (file === undefined) {
    const message = `no ${workspaceFile} here or above; the built-in tools and the default settings are used`;
    return [{ about: "workspace", status: "ok", message }];
  }
  if (problems.length === 0) return [{ about: "workspace", status: "ok", message: file }];
  return problems.map((problem) => problemFinding("workspace", problem));
}

function toolFindings(workspace: Workspace): Finding[] {
  const tools = workspace.engine.tools.list().filter(({ source }) => source !== "chains");
  const usable = tools.filter(({ tool }) => tool.broken === undefined).length;
  const loaded: Finding = { about: "tools", status: "ok", message: `${formatCount(usable, "tool")} can be called` };
  return [loaded, ...workspace.sources.folder.problems().map((problem) => problemFinding("tools", problem))];
}

function skillFindings({ sources: { skills }, config }: Workspace): Finding[] {
  if (skills === undefined) return [];
  const about = "skills";
  const count = skills.skills().length;
  const findings = [
    ...codeFindings(skills.codeFiles(), config.skills.code),
    ...skills.problems().map((problem) => problemFinding(about, problem)),
  ];
  if (count === 0) return findings;
  return [{ about, status: "ok", message: `${formatCount(count, "skill")} can be used` }, ...findings];
}

/** Which files beside skills run as code; where nobody decided that, they are told as problems. */
function codeFindings(files: readonly string[], code: boolean | undefined): Finding[] {
  if (files.length === 0 || code === undefined) return [];
  const named = files.join(", ");
  const message = code ? `run code beside them: ${named}` : `code beside them is not loaded: ${named}`;
  return [{ about: "skills", status: code ? "ok" : "off", message }];
}

/** Who serves what the workspace describes; what nobody serves is told as a problem. */
function capabilityFindings({ hub }: Workspace): Finding[] {
  const described = hub
    .capabilities()
    .filter(({ tools, contract }) => contract?.file !== undefined && tools.length > 0);
  return described.map(({ name, tools, unfit }) => {
    const others = unfit.length === 0 ? "" : `; not by ${unfit.join("; ")}`;
    return { about: "capabilities", status: "ok", message: `${name}: served by ${tools.join(", ")}${others}` };
  });
}

function chainFindings(workspace: Workspace): Finding[] {
  const { chains, chainFolder, sources, config } = workspace;
  // Sources make their problems anew whenever they are asked.
  const others = new Set(sources.problems().map((problem) => JSON.stringify(problem)));
  const problems = workspace
    .problems()
    .filter((found) => found.file !== workspaceFile && !others.has(JSON.stringify(found)));
  const usable = chains.names().filter((name) => !hasErrors(chains.problems(name))).length;
  const lacking = chains
    .names()
    .filter((name) => chainFolder.fileOf(name) === undefined && hasErrors(chains.problems(name)));
  const without = lacking.length === 0 ? "" : `; built in, but without their tools: ${lacking.join(", ")}`;
  const message = `${formatCount(usable, "chain")} can be run${without}`;
  const aboutOf = ({ file }: Problem): string =>
    file.startsWith(`${config.capabilities.directory}/`) ? "capabilities" : "chains";
  const found = problems.map((problem) => problemFinding(aboutOf(problem), problem));
  return [{ about: "chains", status: "ok", message }, ...found];
}

function secretFindings({ config, missingSecrets, engine }: Workspace): Finding[] {
  const names = Object.keys(config.secrets);
  if (names.length === 0) return [];
  const found = names.length - missingSecrets.length;
  const summary: Finding = {
    about: "secrets",
    status: "ok",
    message: `${found} of ${formatCount(names.length, "secret")} found`,
  };
  return [
    ...(found > 0 ? [summary] : []),
    ...missingSecrets.map(({ name, why }): Finding => ({
      about: "secrets",
      status: "warn",
      message: `${name} has no value`,
      todo: why,
    })),
    ...names.filter((name) => isOrdinaryWord(engine.secrets.get(name) ?? "")).map(ordinaryFinding),
  ];
}

/** The value itself is told to nobody. */
function ordinaryFinding(name: string): Finding {
  return {
    about: "secrets",
    status: "warn",
    message: `${name} is short or an ordinary word: it is hidden wherever it stands, also where nobody means it`,
    todo: `write it where it is used if it is no secret, such as the name of a user; else choose a longer one`,
  };
}

function policyFindings({ config }: Workspace): Finding[] {
  const { allow } = config.network;
  const rules = { ...defaultPermissions, ...config.permissions };
  const list = (items: readonly string[]): string => (items.length === 0 ? "nothing" : items.join(", "));
  const network = allow.length === 0 ? "public addresses only" : `public addresses, and ${allow.join(", ")}`;
  return [
    { about: "network", status: "ok", message: network },
    {
      about: "permissions",
      status: "ok",
      message: `deny ${list(rules.deny)}; ask for ${list(rules.ask)}; allow ${list(rules.allow)}`,
    },
  ];
}

/** Nothing is said of traces that nobody asked for. */
function telemetryFindings({ tracing, config }: Workspace): Finding[] {
  const about = "telemetry";
  if (tracing === undefined) return [];
  const contents = config.telemetry.captureContent ? "with what was said and done, redacted" : "without their contents";
  if (tracing.active) return [{ about, status: "ok", message: `calls, runs and questions are traced, ${contents}` }];
  const message = "enabled, but no OpenTelemetry SDK is registered in this process, so nothing is traced";
  return [{ about, status: "warn", message, todo: 'register one first: NODE_OPTIONS="--import ./tracing.mjs"' }];
}

async function databaseFindings(dir: string): Promise<Finding[]> {
  const about = "database";
  const file = journalFile(dir);
  if (!(await exists(file))) return [{ about, status: "ok", message: "none yet; the first call makes it" }];
  try {
    const store = await openSqlite({ file, redactor: createRedactor([]) });
    try {
      const { records, approvals, runs, bytes } = await store.stats();
      const { version, faults } = await store.check();
      const left = await runFindings(store);
      const size = `${formatBytes(bytes)}, ${formatCount(records, "record")}, ${formatCount(runs, "run")}, ${formatCount(approvals, "approval")}`;
      const message = `${fromHere(file)}: version ${version}, ${size}`;
      if (faults.length === 0) return [{ about, status: "ok", message: `${message}, intact` }, ...left];
      const todo = "restore a backup, or move the file away and start anew";
      return [{ about, status: "fail", message: `${message}; damaged: ${faults.join("; ")}`, todo }, ...left];
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!isFailureError(error)) throw error;
    return [{ about, status: "fail", message: error.message }];
  }
}

/** Runs that somebody has to do something about. */
async function runFindings({ runs }: SqliteStore): Promise<Finding[]> {
  const about = "runs";
  const left = await runs.list({ abandoned: true });
  const waiting = await runs.list({ status: "waiting" });
  const named = (found: typeof left): string => {
    const shown = found.slice(0, 3).map(({ id, chain }) => `${id} of ${chain}`);
    return `${shown.join(", ")}${found.length > 3 ? ", …" : ""}`;
  };
  const findings: Finding[] = [];
  if (left.length > 0) {
    const message = `${formatCount(left.length, "run")} left behind by a process that is gone: ${named(left)}`;
    findings.push({ about, status: "warn", message, todo: "windlass resume goes on with what was left" });
  }
  if (waiting.length > 0) {
    const message = `${formatCount(waiting.length, "run")} waiting for a person: ${named(waiting)}`;
    findings.push({ about, status: "warn", message, todo: "windlass approvals shows what is asked" });
  }
  return findings;
}
