import { join } from "node:path";
import { defaultPermissions } from "../../engine/index.ts";
import { isWeakSecret } from "../../secrets/index.ts";
import { type Problem, formatCount, hasErrors } from "../../text/index.ts";
import { workspaceFile } from "../find-workspace.ts";
import { findIgnoredFiles } from "../ignored-files.ts";
import type { Workspace } from "../workspace.ts";
import { type StoreOpener, databaseFindings } from "./check-database.ts";
import { examineMessages } from "./check-messages.ts";
import { type Finding, examineAgent, examineServers, finding, problemFinding } from "./check-servers.ts";
import { examineServices } from "./check-services.ts";

/** Options of {@link examineWorkspace}. */
export interface ExamineOptions {
  /** Also send test requests to the configured services. */
  readonly network: boolean;
  /** Shortens a path for people. */
  readonly shorten: (path: string) => string;
  /** The command that reviews the parts without trust. */
  readonly reviewCommand: string;
  /** Opens the database. */
  readonly openStore: StoreOpener;
}

/** Checks everything that a workspace needs. Calls no tool. */
export async function examineWorkspace(workspace: Workspace, options: ExamineOptions): Promise<Finding[]> {
  const { dir, config, configured } = workspace;
  const { network, shorten, openStore } = options;
  const aboutSettings = workspace.problems().filter((problem) => problem.file === workspaceFile);
  return [
    nodeFinding(process.versions.node),
    ...settingsFindings(configured ? shorten(join(dir, workspaceFile)) : undefined, aboutSettings),
    ...trustFindings(workspace, options.reviewCommand),
    ...toolFindings(workspace),
    ...skillFindings(workspace),
    ...(await examineServers(workspace.sources.mcp, network)),
    ...capabilityFindings(workspace),
    ...chainFindings(workspace),
    ...(await findIgnoredFiles(dir, config)).map((problem) => problemFinding("files", problem)),
    ...secretFindings(workspace),
    ...policyFindings(workspace),
    ...(await examineServices(workspace, { network, shorten })),
    ...examineAgent(workspace),
    ...telemetryFindings(workspace),
    ...(await examineMessages(workspace, openStore)),
    ...(await databaseFindings(dir, { shorten, openStore })),
  ];
}

const oldestNode = 24;

/** The finding about the version of Node. */
export function nodeFinding(version: string): Finding {
  const message = `Node ${version}`;
  if (Number.parseInt(version, 10) >= oldestNode) return finding("node", "ok", message);
  return finding("node", "fail", message, `install Node ${oldestNode} or newer`);
}

/** Findings about the settings. */
export function settingsFindings(file: string | undefined, problems: readonly Problem[]): Finding[] {
  if (file === undefined) {
    const message = `no ${workspaceFile} in this folder or its parents; using the built-in tools and default settings`;
    return [finding("workspace", "ok", message)];
  }
  if (problems.length === 0) return [finding("workspace", "ok", file)];
  return problems.map((problem) => problemFinding("workspace", problem));
}

/** Empty if everything is trusted. */
function trustFindings({ untrusted }: Workspace, reviewCommand: string): Finding[] {
  if (untrusted.length === 0) return [];
  const message = `not trusted, so ${formatCount(untrusted.length, "part")} of the workspace are not used or checked`;
  return [finding("trust", "warn", message, `review them with: ${reviewCommand}`)];
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
