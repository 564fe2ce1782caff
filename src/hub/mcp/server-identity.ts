import { canonicalJson, nodeCrypto } from "../../base/index.ts";
import { withoutCredentials } from "../../net/index.ts";
import { isSecretName, showUnsafe } from "../../text/index.ts";
import { shownCommand } from "./check-command.ts";
import type { McpServer } from "./server-config.ts";
import type { KeptPins } from "./state-files.ts";

/** What decides which program or address a server is, as the files have it: nothing is filled in. */
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
  /** As people may see it: what a secret name holds is hidden. */
  readonly shown: string;
  /** Tells one value from another, also where it is hidden. */
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

/** Tells one server from another, whatever the values of secrets are: one that is renewed leaves it what it was. */
export function identityOf(raw: RawIdentity): string {
  return hashOf(raw);
}

/** The same part by part. */
export function identityParts(raw: RawIdentity): readonly IdentityPart[] {
  if ("url" in raw) return [part("url", raw.url, withoutCredentials(raw.url))];
  const { command = "", args, env, cwd } = raw;
  return [
    part("command", [command, args], shownCommand(command, args)),
    ...(cwd === undefined ? [] : [part("cwd", cwd, showUnsafe(cwd))]),
    ...Object.entries(env).map(([name, value]) => part(`env.${showUnsafe(name)}`, value, shownValue(name, value))),
  ];
}

/**
 * What was approved, where that is another server than this one, or one that was not trusted as far: then this one is not
 * even started.
 */
export function changedFrom({ identity, trust }: McpServer, kept: KeptPins | undefined): KeptPins | undefined {
  const isLaxer = trust === "all" && kept?.trust !== "all";
  return kept?.identity !== identity || isLaxer ? kept : undefined;
}

/** Every part of what a server was and is. */
export function identityChanges({ parts, trust }: McpServer, kept: KeptPins): readonly IdentityChange[] {
  const before = new Map(kept.parts.map((each) => [each.name, each]));
  const after = new Map(parts.map((each) => [each.name, each]));
  const own = [...new Set([...after.keys(), ...before.keys()])].map((name) =>
    change(before.get(name), after.get(name)),
  );
  const trusted = kept.trust === undefined ? undefined : part("trust", kept.trust, kept.trust);
  return [...own, change(trusted, part("trust", trust, trust))];
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

/** What only names a secret is none. */
function shownValue(name: string, value: unknown): string {
  const text = String(value);
  return isSecretName(name) && !/^\$\{[^{}]*\}$/.test(text) ? "[hidden]" : showUnsafe(text);
}

function hashOf(value: unknown): string {
  return nodeCrypto().createHash("sha256").update(canonicalJson(value)).digest("hex");
}
