import { type Target, type Address, parseAddress } from "./address.ts";
import type { AllowList } from "./allow-list.ts";
import { refuseTarget } from "./check-url.ts";
import { netFailure } from "./net-reasons.ts";
import { isPublicAddress } from "./public-address.ts";

/** Finds the addresses of a host's name, as texts. */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/** An address that passed the checks, in the form that sockets take. */
export interface CheckedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** The system's resolver. */
export const systemResolve: ResolveHost = async (host) => {
  const { lookup } = await import("node:dns/promises");
  return (await lookup(host, { all: true })).map(({ address }) => address);
};

/** Options of {@link resolveTarget} besides the target. */
export interface ResolveOptions {
  readonly allow: AllowList;
  readonly resolve: ResolveHost;
  readonly signal: AbortSignal;
}

/**
 * The addresses to connect to. They are looked up once and these very ones are used, so a second, different answer
 * has nothing to act on; one address that is not public refuses them all.
 */
export async function resolveTarget(target: Target, options: ResolveOptions): Promise<readonly CheckedAddress[]> {
  const { allow } = options;
  if (parseAddress(target.host) !== undefined) return [checkAddress(target.host, target, allow)];
  const answers = await answersFor(target, options);
  if (answers.length === 0) throw netFailure("dns_failed", `"${target.host}" has no address`);
  return answers.map((answer) => checkAddress(answer, target, allow));
}

/** True if the peer of a connection is one of the checked addresses. */
export function isExpectedPeer(peer: string | undefined, checked: readonly CheckedAddress[]): boolean {
  const actual = parseAddress(peer ?? "");
  return actual !== undefined && checked.some(({ address }) => isSame(parseAddress(address), actual));
}

async function answersFor(target: Target, { resolve, signal }: ResolveOptions): Promise<readonly string[]> {
  try {
    return await resolve(target.host, signal);
  } catch (cause) {
    throw netFailure("dns_failed", `the name "${target.host}" could not be resolved`, { cause });
  }
}

function checkAddress(text: string, target: Target, allow: AllowList): CheckedAddress {
  const address = parseAddress(text);
  const open = address !== undefined && (isPublicAddress(address) || allow.opensAddress(address, target));
  if (!open) {
    if (target.host === text) throw refuseTarget("ssrf_ip", `${text} is not a public address`, { target, allow });
    // The address is not named: it would reveal the internal network.
    throw refuseTarget("ssrf_dns", `the name "${target.host}" leads to an address that is not public`, {
      target,
      allow,
    });
  }
  return { address: text, family: address.family };
}

function isSame(a: Address | undefined, b: Address): boolean {
  return a?.family === b.family && a.value === b.value;
}
