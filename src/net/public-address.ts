import { type Address, type AddressBlock, blockContains, parseBlock } from "./address.ts";

/** IPv6 is public only inside global unicast, so mapped, translated and tunneled IPv4 forms are out from the start. */
const globalUnicast = lazyBlocks("2000::/3");

/** Blocks that the IANA special-purpose registries reserve, and addresses of cloud services. */
const reserved = lazyBlocks(
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT; a cloud's metadata service lives here
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local; most clouds' metadata service lives here
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments; a cloud's metadata service lives here
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays, withdrawn
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
  "168.63.129.16/32", // a public number that one cloud answers inside its virtual networks
  "2001::/23", // protocol assignments, Teredo among them
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4, which can wrap any IPv4 address
  "3fff::/20", // documentation
);

/** Cloud metadata addresses, which expose the credentials of a machine; nothing else is served there. */
const metadata = lazyBlocks(
  "169.254.0.0/16", // AWS, Azure, Google and most others; a few at other numbers of it
  "fe80::/10", // OpenStack, Akamai
  "100.96.0.96/32", // Volcengine
  "100.100.100.200/32", // Alibaba
  "fd00:100::100:200/128", // Alibaba
  "168.63.129.16/32", // Azure, from its virtual networks
  "192.0.0.0/24", // Oracle, its older machines
  "fd00:c1::a9fe:a9fe/128", // Oracle
  "fd00:ec2::/32", // AWS, including the addresses for containers
  "fd20:ce::/32", // Google
  "fd00:42::42/128", // Scaleway
  "fd00:a9fe:a9fe::/48", // Akamai
);

/** True if a cloud may expose the machine's credentials at this address, also embedded in IPv6. */
export function isMetadataAddress(address: Address): boolean {
  return [address, ...embeddedIpv4(address)].some((one) => metadata().some((block) => blockContains(block, one)));
}

/** True if this address is reachable on the public network. */
export function isPublicAddress(address: Address): boolean {
  const inside = (block: AddressBlock): boolean => blockContains(block, address);
  return (address.family === 4 || globalUnicast().some(inside)) && !reserved().some(inside);
}

/** Read on first use: parsing addresses loads a module of Node that few programs need at once. */
function lazyBlocks(...texts: readonly string[]): () => readonly AddressBlock[] {
  let blocks: readonly AddressBlock[] | undefined;
  return () => (blocks ??= texts.map(readBlock));
}

function readBlock(text: string): AddressBlock {
  const block = parseBlock(text);
  if (block === undefined) throw new Error(`${text} is not an address block`);
  return block;
}

/** Reads an IPv4 address out of the 128 bits of an IPv6 one. */
type Unwrap = (value: bigint) => bigint;

/** The 32 bits from this one on. */
const at =
  (bit: number): Unwrap =>
  (value) =>
    BigInt.asUintN(32, value >> BigInt(96 - bit));

/** Behind a prefix of this length as translators write it (RFC 6052): bits 64 to 71 are left out. */
const ipv4AfterPrefix =
  (prefix: number): Unwrap =>
  (value) =>
    BigInt.asUintN(32, (((value >> 64n) << 56n) | BigInt.asUintN(56, value)) >> BigInt(88 - prefix));

/** IPv6 blocks whose addresses embed IPv4 addresses, and their positions. */
const wrappings: readonly (readonly [block: string, ...unwraps: readonly Unwrap[]])[] = [
  ["::/96", at(96)], // compatible
  ["::ffff:0:0/96", at(96)], // mapped
  ["::ffff:0:0:0/96", at(96)], // translated
  ["64:ff9b::/96", at(96)], // NAT64
  ["64:ff9b:1::/48", at(96), ipv4AfterPrefix(64), ipv4AfterPrefix(56), ipv4AfterPrefix(48)], // NAT64 with a custom prefix of any length
  ["2002::/16", at(16)], // 6to4
  ["2001::/32", (value) => at(96)(~value)], // Teredo, which inverts it
];

const wrappingBlocks = lazyBlocks(...wrappings.map(([block]) => block));

/** The IPv4 addresses that an IPv6 address may embed; empty if it embeds none. */
function embeddedIpv4(address: Address): Address[] {
  return wrappingBlocks().flatMap((block, index) => {
    if (!blockContains(block, address)) return [];
    const [, ...unwraps] = wrappings[index] ?? [];
    return unwraps.map((unwrap): Address => ({ family: 4, value: unwrap(address.value) }));
  });
}

/** Names under these belong to the network one is in: special-use names, and those that home and office routers use. */
const privateSuffixes =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|onion)$/;

/** True if this is the name of a host in a private network. A single label resolves by the search domains. */
export function isPrivateHost(host: string): boolean {
  return !host.includes(".") || privateSuffixes.test(host);
}
