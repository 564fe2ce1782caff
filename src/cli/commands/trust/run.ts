import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type TrustItem,
  WorkspaceError,
  findWorkspace,
  grantTrust,
  readSettings,
  reviewTrust,
  storeTrustDecision,
} from "../../../app/index.ts";
import { hasErrors } from "../../../text/index.ts";
import { trustLines } from "../../open/open-here.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { type ExitCode, exitCodes } from "../../program/exit-codes.ts";
import type { Invocation } from "../../program/invocation.ts";
import { UsageError } from "../../program/usage-error.ts";
import { toOneLine } from "../../terminal/format-table.ts";
import { promptYesNo } from "../../terminal/prompt-yes-no.ts";
import { relativeToCwd } from "../../terminal/report-problems.ts";
import { safeJson } from "../../terminal/safe-json.ts";

/** `windlass trust`. */
export const trustWorkspace: RunCommand = async (invocation) => {
  const dir = await findWorkspace(await folderIn(invocation));
  const settings = await readSettings(dir);
  if (hasErrors(settings.problems)) throw new WorkspaceError(settings.problems);
  const subject = { dir, settings, env: process.env };
  if (invocation.flag("revoke")) return revoke(dir, invocation);
  const { items, decision } = await reviewTrust(subject);
  if (!invocation.flag("json")) show(items, { dir, trusted: decision.trusted, invocation });
  const isGranted =
    items.length > 0 && !invocation.flag("list") && (await isConfirmed(items, decision.trusted, invocation));
  if (isGranted) await grantTrust(subject, items);
  const trusted = isGranted ? new Set(items.map(({ id }) => id)) : decision.trusted;
  return report(items, { dir, trusted, invocation });
};

async function folderIn({ words }: Invocation): Promise<string> {
  const folder = resolve(words[0] ?? ".");
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new UsageError(`folder not found: ${JSON.stringify(words[0] ?? ".")}`);
  return folder;
}

async function revoke(dir: string, invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  await storeTrustDecision(dir, process.env);
  if (invocation.flag("json")) terminal.print(safeJson({ dir, trusted: false }));
  else terminal.print(`No longer trusted: ${toOneLine(dir)}`);
  return exitCodes.ok;
}

interface Review {
  readonly dir: string;
  readonly trusted: ReadonlySet<string>;
  readonly invocation: Invocation;
}

function show(items: readonly TrustItem[], { dir, trusted, invocation: { terminal } }: Review): void {
  const shown = dir === process.cwd() ? "This workspace" : relativeToCwd(dir);
  if (items.length === 0)
    return terminal.print(`${shown} needs no trust: it runs no code and no commands, and sends no secrets.`);
  const parts = [
    { title: `${shown} would:`, some: items.filter(({ id }) => !trusted.has(id)) },
    { title: "Trusted already, it may:", some: items.filter(({ id }) => trusted.has(id)) },
  ];
  for (const { title, some } of parts) {
    if (some.length === 0) continue;
    terminal.print(terminal.paint("bold", title));
    for (const line of trustLines(some, { width: terminal.columns })) terminal.print(line);
  }
}

/** Elsewhere than at a terminal, typing the command is the confirmation. */
async function isConfirmed(
  items: readonly TrustItem[],
  trusted: ReadonlySet<string>,
  { terminal }: Invocation,
): Promise<boolean> {
  if (!terminal.interactive || items.every(({ id }) => trusted.has(id))) return true;
  const prompt = { terminal, prompt: "Trust it? [y/N] ", unclear: "Type y or n." };
  return (await promptYesNo(prompt, new AbortController().signal)) === true;
}

function report(items: readonly TrustItem[], { dir, trusted, invocation }: Review): ExitCode {
  const { terminal } = invocation;
  const isTrusted = items.every(({ id }) => trusted.has(id));
  if (invocation.flag("json")) {
    const wire = items.map(({ kind, text, id }) => ({ kind, text, trusted: trusted.has(id) }));
    terminal.print(safeJson({ dir, trusted: isTrusted, items: wire }));
  } else if (items.length > 0 && !invocation.flag("list")) {
    terminal.print(isTrusted ? `Trusted: ${toOneLine(dir)}` : "Nothing was changed.");
  }
  return isTrusted || invocation.flag("list") ? exitCodes.ok : exitCodes.failed;
}
