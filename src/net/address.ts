import { nodeNet } from "../base/index.ts";

/** An IP address as a number, so that one comparison covers every way to write it. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** A range of addresses: those whose first `prefix` bits are those of `value`. */
export interface AddressBlock extends Address {
  readonly prefix: number;
}

/** Reads an address in its usual notation. Zone ids (`fe80::1%eth0`) are refused: they name an interface. */
export function parseAddress(text: string): Address | undefined {
  switch (nodeNet().isIP(text)) {
    case 4:
      return { family: 4, value: fromParts(text.split(".").map(Number), 8n) };
    case 6:
      return text.includes("%") ? undefined : { family: 6, value: fromParts(groupsOf(text), 16n) };
    default:
      return undefined;
  }
}

/** Reads `10.0.0.0/8` or `fd00::/8`. An address that does not begin its block is refused: which one is meant? */
export function parseBlock(text: string): AddressBlock | undefined {
  const slash = text.lastIndexOf("/");
  const address = parseAddress(slash === -1 ? text : text.slice(0, slash));
  if (address === undefined) return undefined;
  const bits = widthOf(address);
  const length = slash === -1 ? String(bits) : text.slice(slash + 1);
  const prefix = /^\d{1,3}$/.test(length) ? Number(length) : Infinity;
  if (prefix > bits) return undefined;
  const block = { ...address, prefix };
  return firstOf(block) === address.value ? block : undefined;
}

/** True if the address is inside the block. An IPv4 address is never inside an IPv6 block, nor the other way round. */
export function blockContains(block: AddressBlock, address: Address): boolean {
  if (block.family !== address.family) return false;
  const rest = BigInt(widthOf(block) - block.prefix);
  return block.value >> rest === address.value >> rest;
}

function firstOf(block: AddressBlock): bigint {
  const rest = BigInt(widthOf(block) - block.prefix);
  return (block.value >> rest) << rest;
}

function widthOf(address: Address): number {
  return address.family === 4 ? 32 : 128;
}

/** The eight groups of an IPv6 address that `isIP` has accepted. */
function groupsOf(text: string): number[] {
  const [head = "", tail] = withoutDots(text).split("::");
  const left = head === "" ? [] : head.split(":");
  if (tail === undefined) return left.map(hex);
  const right = tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].map(hex);
}

/** `::ffff:127.0.0.1` as `::ffff:7f00:1`. */
function withoutDots(text: string): string {
  if (!text.includes(".")) return text;
  const start = text.lastIndexOf(":") + 1;
  const [a = 0, b = 0, c = 0, d = 0] = text.slice(start).split(".").map(Number);
  return `${text.slice(0, start)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

function hex(group: string): number {
  return Number.parseInt(group, 16);
}

function fromParts(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((value, part) => (value << bits) | BigInt(part), 0n);
}

/** Destination of a connection: a name or a bare address, and a port. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/**
 * The target of a URL or of a connection: its host without brackets, which not all callers write, and without trailing
 * dots.
 */
export function toTarget(url: Pick<URL, "hostname" | "port" | "protocol">): Target {
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  const defaultPort = url.protocol === "https:" ? 443 : 80;
  return { host, port: url.port === "" ? defaultPort : Number(url.port) };
}

/**
 * The network of a client: its IPv4 address, or the first half of an IPv6 address, of which one client has all addresses.
 * Empty if the address is unknown.
 */
export function networkOf(address: string | undefined): string {
  const parsed = parseAddress(address ?? "");
  if (parsed === undefined) return "";
  const { family, value } = parsed;
  if (family === 4) return `4/${value}`;
  return value >> 32n === 0xff_ffn ? `4/${value & 0xff_ff_ff_ffn}` : `6/${value >> 64n}`;
}
