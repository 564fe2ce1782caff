import { join } from "node:path";
import { fail, isFailureError, systemClock } from "../base/index.ts";
import { ChainError, type Plan, type Trigger, isChainError, secretNamesOf, triggersOf } from "../chain/index.ts";
import { createFileAccess, sha256Of } from "../file/index.ts";
import { readText } from "../hub/index.ts";
import { type Problem, hasErrors, parseYaml } from "../text/index.ts";
import { type AuditActor, anyProgram, audited } from "./audit.ts";
import { chainNameIn } from "./chain-file.ts";
import { planFile } from "./plan-file.ts";
import { withUnloadedTools } from "./unloaded-tools.ts";
import type { Workspace } from "./workspace.ts";

/** The text of a chain, as its file has it now. */
export interface ChainSource {
  readonly text: string;
  /** Identifies the text. */
  readonly version: string;
  /** Relative to the workspace; undefined if the chain is built in. */
  readonly file: string | undefined;
}

/** Reads the text of a chain of the workspace; undefined if there is none. Also an invalid text that is not in use. */
export async function readChain(
  { chains, chainFolder, dir }: Workspace,
  name: string,
): Promise<ChainSource | undefined> {
  const file = chainFolder.fileOf(name);
  if (file !== undefined) {
    const read = await readText({ path: join(dir, file), name: file });
    if (read.problem === undefined) return { text: read.source, version: await versionOf(read.source), file };
  }
  const source = chains.sourceOf(name);
  if (source === undefined || !("text" in source)) return undefined;
  return { text: source.text, version: await versionOf(source.text), file };
}

function versionOf(text: string): Promise<string> {
  return sha256Of(Buffer.from(text));
}

/** A text of a chain, checked with the tools and chains of the workspace. */
export interface CheckedChain {
  /** Undefined if the text cannot be planned at all. */
  readonly plan: Plan | undefined;
  readonly problems: readonly Problem[];
}

/** Checks the text of a chain without saving it. `name` is the chain that it is to replace. */
export function checkChain(workspace: Workspace, text: string, name?: string): CheckedChain {
  const { chains, sources } = workspace;
  const file = fileFor(workspace, name ?? chainNameIn(text, "chain.yaml") ?? "chain");
  const { plan, problems } = planFile({ text, file }, chains.context);
  const named = chainNameIn(text, file);
  const misnamed = name === undefined || named === undefined || named === name ? [] : [wrongName(text, { name, file })];
  return { plan, problems: [...withUnloadedTools(problems, sources.problems()), ...misnamed] };
}

function wrongName(text: string, { name, file }: { readonly name: string; readonly file: string }): Problem {
  const message = `the chain is saved as "${name}", and its text has another name`;
  const hint = `write name: ${name}, or save it under the other name`;
  return { severity: "error", code: "wrong_name", message, hint, file, ...parseYaml(text, { file }).locate(["name"]) };
}

function fileFor({ chainFolder, config }: Workspace, name: string): string {
  return chainFolder.fileOf(name) ?? `${config.chains.directory}/${name}.yaml`;
}

/** A chain to save. */
export interface ChainToSave {
  readonly name: string;
  readonly text: string;
  /** The version that it replaces; undefined if the chain must be new. */
  readonly replaces: string | undefined;
  /** It may name secrets, environment variables and triggers that no chain of the workspace names. */
  readonly mayNameSecrets: boolean;
  /** For the audit log. Default: a program. */
  readonly actor?: AuditActor;
}

/** File names that mean the same on every system, and that are loaded. */
const chainName = /^[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/;
const maxNameLength = 100;

/**
 * Saves a chain: written whole or not at all, and only if it is valid and no other version was saved in the meantime. Throws
 * with its problems, or with the reason `changed` or `names_secrets`.
 */
export function saveChain(workspace: Workspace, chain: ChainToSave): Promise<ChainSource> {
  const { name, actor = anyProgram } = chain;
  const parts = { audit: workspace.audit, clock: systemClock };
  return audited(parts, { ...actor, action: "chain.save", target: name }, () => save(workspace, chain));
}

async function save(workspace: Workspace, { name, text, replaces, mayNameSecrets }: ChainToSave): Promise<ChainSource> {
  if (!chainName.test(name) || name.length > maxNameLength)
    throw fail(`${JSON.stringify(name)} cannot be the name of a file; use letters, digits, "-" and "_"`, {
      code: "validation_error",
    });
  const { plan, problems } = checkChain(workspace, text, name);
  if (plan === undefined || hasErrors(problems)) throw new ChainError(problems, text);
  if (!mayNameSecrets) checkNamed(workspace, plan);
  const before = await readChain(workspace, name);
  if (before?.version !== replaces) throw changed(name);
  const file = fileFor(workspace, name);
  await writeChain(workspace.dir, { file, name, text }, before);
  await workspace.chainFolder.reload();
  return { text, version: await versionOf(text), file };
}

async function writeChain(
  dir: string,
  { file, name, text }: { readonly file: string; readonly name: string; readonly text: string },
  before: ChainSource | undefined,
): Promise<void> {
  const files = createFileAccess({ roots: [{ path: dir, write: true }] });
  // A built-in chain has no file yet.
  const how = before?.file === undefined ? { overwrite: false } : { expected: { sha256: before.version } };
  try {
    await files.write(file, text, { createParents: true, ...how });
  } catch (error) {
    const reason = isFailureError(error) ? error.reason : undefined;
    throw reason === "changed" || reason === "exists" || reason === "concurrent_change" ? changed(name) : error;
  }
}

function changed(name: string): Error {
  const message = `the chain "${name}" is not the version that was to be replaced; read it again, and repeat the change`;
  return fail(message, { code: "execution_error", reason: "changed", retry: "never" });
}

/** Throws if a chain names secrets, environment variables or triggers that no valid chain of the workspace names so far. */
function checkNamed({ chains }: Workspace, plan: Plan): void {
  const known = new Set(chains.names().flatMap((name) => namedIn(validPlan(name, chains))));
  const added = namedIn(plan).filter((named) => !known.has(named));
  if (added.length === 0) return;
  const message = `the chain newly names ${added.join(", ")}, which needs the scope "admin"`;
  throw fail(message, { code: "permission_denied", reason: "names_secrets", retry: "never" });
}

function namedIn(plan: Plan | undefined): string[] {
  if (plan === undefined) return [];
  const triggers = triggersOf(plan.spec.on ?? [], { chain: plan.name, file: undefined, timezone: undefined });
  return [
    ...Array.from(secretNamesOf(plan), (name) => `secret.${name}`),
    ...plan.env.map((name) => `env.${name}`),
    ...triggers.flatMap(({ secrets }) => secrets).map((name) => `secret.${name}`),
    ...triggers.map(triggerLabel),
  ];
}

/** With everything that decides when it fires, and what its run gets. */
function triggerLabel({ kind, expression, chain, digest }: Trigger): string {
  return `the trigger "${kind}: ${expression}" of ${chain} (${digest.slice(0, 8)})`;
}

function validPlan(name: string, chains: Workspace["chains"]): Plan | undefined {
  try {
    return chains.plan(name);
  } catch (error) {
    if (isChainError(error)) return undefined;
    throw error;
  }
}
