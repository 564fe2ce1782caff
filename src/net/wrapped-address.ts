import { type Address, type Block, contains, parseBlock } from "./address.ts";

/** Reads an IPv4 address out of the 128 bits of an IPv6 one. */
type Unwrap = (value: bigint) => bigint;

/** The 32 bits from this one on. */
const at =
  (bit: number): Unwrap =>
  (value) =>
    BigInt.asUintN(32, value >> BigInt(96 - bit));

/** Behind a prefix of this length as translators write it (RFC 6052): bits 64 to 71 are left out. */
const behind =
  (prefix: number): Unwrap =>
  (value) =>
    BigInt.asUintN(32, (((value >> 64n) << 56n) | BigInt.asUintN(56, value)) >> BigInt(88 - prefix));

/** The blocks of IPv6 whose addresses stand for IPv4 ones, and where those are written. */
const wrappings: readonly (readonly [block: string, ...unwraps: readonly Unwrap[]])[] = [
  ["::/96", at(96)], // compatible
  ["::ffff:0:0/96", at(96)], // mapped
  ["::ffff:0:0:0/96", at(96)], // translated
  ["64:ff9b::/96", at(96)], // NAT64
  ["64:ff9b:1::/48", at(96), behind(64), behind(56), behind(48)], // NAT64 of one's own, its prefix of any length
  ["2002::/16", at(16)], // 6to4
  ["2001::/32", (value) => at(96)(~value)], // Teredo, which inverts it
];

let blocks: readonly (Block | undefined)[] | undefined;

/** The IPv4 addresses that an IPv6 one may stand for; none where it stands for itself. */
export function wrappedIn(address: Address): Address[] {
  // Read on first use: parsing addresses loads a module of Node that few programs need at once.
  blocks ??= wrappings.map(([block]) => parseBlock(block));
  return wrappings.flatMap(([, ...unwraps], index) => {
    const block = blocks?.[index];
    if (block === undefined || !contains(block, address)) return [];
    return unwraps.map((unwrap): Address => ({ family: 4, value: unwrap(address.value) }));
  });
}
