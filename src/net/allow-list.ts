import { FailureError, isFailureError } from "../base/index.ts";
import {
  type Address,
  type AddressBlock,
  blockContains,
  parseAddress,
  parseBlock,
  type Target,
  toTarget,
} from "./address.ts";
import { isPrivateHost, isMetadataAddress } from "./public-address.ts";

/** Destinations that a workspace opens besides the public network; each entry opens what it names and nothing else. */
export interface AllowList {
  /** True if an entry names this host on this port, as a name or a literal address. */
  opensHost(host: string, port: number): boolean;
  /** True if a connection to this target may go to this address, to which its name resolved. */
  opensAddress(address: Address, target: Target): boolean;
  /** True if an entry names this host together with exactly this port. */
  namesPort(host: string, port: number): boolean;
  /** Returns why a target is refused, if there is another reason than that no entry opens it. */
  readonly refuses?: RefuseTarget | undefined;
}

/** Returns the failure of a request to a target that is not open; undefined for the usual one. */
export type RefuseTarget = (target: Target) => FailureError | undefined;

interface Entry {
  readonly port: number | undefined;
  /** An address or a block of them. */
  readonly block?: AddressBlock;
  /** A host's name, or `.example.com` for every name under it. */
  readonly name?: string;
}

/**
 * Parses the entries of `network.allow`: `127.0.0.1:8888`, `10.0.0.0/8`, `[::1]:80`, `localhost:3000`,
 * `*.corp.example`. Without a port, an entry opens every port. Throws `file_invalid`, naming the setting.
 */
export function parseAllowList(entries: readonly string[], setting: string = "network.allow"): AllowList {
  const parsed = entries.map((entry) => parseNamed(entry, setting));
  const forHost = (host: string): Entry[] => {
    const address = parseAddress(host);
    return parsed.filter((entry) => (address === undefined ? namesHost(entry, host) : holds(entry, address)));
  };
  const opensHost = (host: string, port: number): boolean => forHost(host).some((entry) => opensPort(entry, port));
  return {
    opensHost,
    opensAddress: (address, { host, port }) =>
      parsed.some((entry) => holds(entry, address) && opensPort(entry, port)) || opensHost(host, port),
    namesPort: (host, port) => forHost(host).some((entry) => entry.port === port),
  };
}

/**
 * A list that opens one more service. A literal address, or the name of a host in a private network, opens any address
 * it resolves to; a public name opens nothing private, since its owner could point it anywhere. Cloud metadata
 * addresses, which expose credentials, are opened only by an entry.
 */
export function withService(list: AllowList, url: URL): AllowList {
  const service = toTarget(url);
  const literal = parseAddress(service.host);
  const mayBePrivate = literal === undefined ? isPrivateHost(service.host) : !isMetadataAddress(literal);
  const opens = ({ host, port }: Target): boolean => mayBePrivate && host === service.host && port === service.port;
  return {
    ...list,
    opensHost: (host, port) => list.opensHost(host, port) || opens({ host, port }),
    opensAddress: (address, target) =>
      list.opensAddress(address, target) || (opens(target) && !isMetadataAddress(address)),
  };
}

function opensPort(entry: Entry, port: number): boolean {
  return entry.port === undefined || entry.port === port;
}

function holds(entry: Entry, address: Address): boolean {
  return entry.block !== undefined && blockContains(entry.block, address);
}

function namesHost({ name }: Entry, host: string): boolean {
  return name !== undefined && (name.startsWith(".") ? host.endsWith(name) && host !== name : host === name);
}

function parseNamed(entry: string, setting: string): Entry {
  try {
    return parseEntry(entry);
  } catch (error) {
    if (!isFailureError(error)) throw error;
    throw new FailureError(`${setting}: ${error.message}`, { code: error.code });
  }
}

function parseEntry(entry: unknown): Entry {
  if (typeof entry !== "string") throw invalid(entry, 'write a text such as "127.0.0.1:8888"');
  const text = entry.trim();
  if (text.includes("://")) throw invalid(entry, "leave out the scheme: write the host, and a port if you like");
  // Two colons outside brackets can only be IPv6: a name and a port have one.
  if (/^[^[].*:.*:/.test(text) || text.startsWith("::")) return { port: undefined, block: block(entry, text) };
  const [, inBrackets, bare = "", digits] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::([^:]*))?$/.exec(text) ?? [];
  const port = digits === undefined ? undefined : portOf(entry, digits);
  if (inBrackets !== undefined) return { port, block: block(entry, inBrackets) };
  if (/^[\d./]+$/.test(bare)) return { port, block: block(entry, bare) };
  return { port, name: entryName(entry, bare) };
}

function block(entry: unknown, text: string): AddressBlock {
  const found = parseBlock(text);
  if (found === undefined) throw invalid(entry, "write an address (127.0.0.1, [::1]) or a block (10.0.0.0/8)");
  if (found.prefix === 0) throw invalid(entry, "it opens every address; name the ones you mean");
  return found;
}

function portOf(entry: unknown, digits: string): number {
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  if (port < 1 || port > 65_535) throw invalid(entry, "a port is 1 to 65535; leave it out to open every port");
  return port;
}

function entryName(entry: unknown, text: string): string {
  const wild = text.startsWith("*.");
  const name = canonicalName(wild ? text.slice(2) : text);
  if (name === undefined) {
    throw invalid(entry, 'write a host (intranet.example:8080), "*." and a host, an address or a block of addresses');
  }
  return wild ? `.${name}` : name;
}

/** A host's name as URLs carry it: lower case, punycode, no dot at the end. */
function canonicalName(text: string): string | undefined {
  if (!/^[\p{L}\p{N}\p{M}._-]+$/u.test(text)) return undefined;
  const host = URL.parse(`http://${text}`)?.hostname.replace(/\.+$/, "");
  return host === undefined || host === "" || parseAddress(host) !== undefined ? undefined : host;
}

function invalid(entry: unknown, advice: string): FailureError {
  const shown = JSON.stringify(entry) ?? String(entry);
  return new FailureError(`${shown.slice(0, 100)} cannot be used; ${advice}`, { code: "file_invalid" });
}
