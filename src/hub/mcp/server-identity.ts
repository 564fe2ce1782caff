import { canonicalJson, nodeCrypto } from "../../base/index.ts";
import { withoutCredentials } from "../../net/index.ts";
import { isSecretName } from "../../secrets/index.ts";
import { showUnsafe } from "../../text/index.ts";
import { formatCommand } from "./format-command.ts";
import type { McpServer } from "./server-config.ts";
import type { StoredPins } from "./server-state-files.ts";

/** The parts of an entry that identify a program or address, as in the files, without expansion. */
export type RawIdentity =
  | {
      readonly command: string | undefined;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, unknown>>;
      readonly cwd?: string;
    }
  | { readonly url: string };

/** One part of it, such as a variable of the environment. */
export interface IdentityPart {
  readonly name: string;
  /** As people may see it: values with a secret name are hidden. */
  readonly shown: string;
  /** Identifies a value, even if it is hidden. */
  readonly hash: string;
}

/** A part before and after, for a person to decide. */
export interface IdentityChange {
  readonly part: string;
  readonly before?: string;
  readonly after?: string;
  /** Two hidden values may be different ones. */
  readonly isChanged: boolean;
}

/** Identifies a server, independent of the values of secrets: renewing a secret does not change it. */
export function identityOf(raw: RawIdentity): string {
  return hashOf(raw);
}

/** The same part by part. */
export function identityParts(raw: RawIdentity): readonly IdentityPart[] {
  if ("url" in raw) return [part("url", raw.url, withoutCredentials(raw.url))];
  const { command = "", args, env, cwd } = raw;
  return [
    part("command", [command, args], formatCommand(command, args)),
    ...(cwd === undefined ? [] : [part("cwd", cwd, showUnsafe(cwd))]),
    ...Object.entries(env).map(([name, value]) => part(`env.${showUnsafe(name)}`, value, displayedValue(name, value))),
  ];
}

/**
 * The approved pins, if they are of another server than this one, of another script, or of one with less trust: then
 * this one is not even started.
 */
export function changedFrom(server: McpServer, stored: StoredPins | undefined): StoredPins | undefined {
  const isLaxer = server.trust === "all" && stored?.trust !== "all";
  return stored?.identity !== server.identity || isLaxer || hasOtherScripts(server, stored) ? stored : undefined;
}

/** True if a script that a person approved has changed. */
function hasOtherScripts({ scripts }: McpServer, stored: StoredPins): boolean {
  return stored.scripts !== undefined && stored.scripts !== scripts();
}

/** Every part of a server's approved and current identity. */
export function identityChanges(server: McpServer, stored: StoredPins): readonly IdentityChange[] {
  const { parts, trust } = server;
  const before = new Map(stored.parts.map((each) => [each.name, each]));
  const after = new Map(parts.map((each) => [each.name, each]));
  const own = [...new Set([...after.keys(), ...before.keys()])].map((name) =>
    change(before.get(name), after.get(name)),
  );
  const trusted = stored.trust === undefined ? undefined : part("trust", stored.trust, stored.trust);
  return [...own, change(trusted, part("trust", trust, trust)), ...scriptChange(server, stored)];
}

/** The script of the command, if it was approved: its text is not shown. */
function scriptChange(server: McpServer, stored: StoredPins): IdentityChange[] {
  if (stored.scripts === undefined) return [];
  const isChanged = hasOtherScripts(server, stored);
  return [{ part: "script", before: "as approved", after: isChanged ? "changed" : "as approved", isChanged }];
}

function change(before: IdentityPart | undefined, after: IdentityPart | undefined): IdentityChange {
  return {
    part: after?.name ?? before?.name ?? "",
    ...(before !== undefined && { before: before.shown }),
    ...(after !== undefined && { after: after.shown }),
    isChanged: before?.hash !== after?.hash,
  };
}

function part(name: string, value: unknown, shown: string): IdentityPart {
  return { name, shown, hash: hashOf([name, value]) };
}

/** The value of a variable for people: hidden if its name says that it is secret. A reference to a secret is not. */
export function displayedValue(name: string, value: unknown): string {
  const text = String(value);
  return isSecretName(name) && !/^\$\{[^{}]*\}$/.test(text) ? "[hidden]" : showUnsafe(text);
}

function hashOf(value: unknown): string {
  return nodeCrypto().createHash("sha256").update(canonicalJson(value)).digest("hex");
}
