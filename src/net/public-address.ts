import { type Address, type Block, contains, parseBlock } from "./address.ts";

/** IPv6 is public only inside global unicast, so mapped, translated and tunnelled IPv4 forms are out from the start. */
const globalUnicast = lazyBlocks("2000::/3");

/** What the IANA special-purpose registries keep from the public network, and the hosts that clouds put in reach. */
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

/** Where clouds tell a machine about itself, its credentials included; nothing else that one would ask is there. */
const metadata = lazyBlocks(
  "169.254.0.0/16",
  "fe80::/10",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.0/24",
  "fd00:ec2::/32",
  "fd20:ce::/32",
);

/** Is this an address at which a cloud may give away the credentials of the machine? Mapped IPv4 forms included. */
export function isMetadataAddress(address: Address): boolean {
  const found = asIpv4(address) ?? address;
  return metadata().some((block) => contains(block, found));
}

/** The IPv4 address that an IPv6 one wraps; undefined where it wraps none. */
function asIpv4({ family, value }: Address): Address | undefined {
  const wraps = family === 6 && [0n, 0xffffn, 0x64_ff9b_0000_0000_0000_0000n].includes(value >> 32n);
  return wraps ? { family: 4, value: value & 0xffff_ffffn } : undefined;
}

/** Is this an address that anyone on the public network could reach? */
export function isPublicAddress(address: Address): boolean {
  const inside = (block: Block): boolean => contains(block, address);
  return (address.family === 4 || globalUnicast().some(inside)) && !reserved().some(inside);
}

/** Read on first use: parsing addresses loads a module of Node that few programs need at once. */
function lazyBlocks(...texts: readonly string[]): () => readonly Block[] {
  let blocks: readonly Block[] | undefined;
  return () => (blocks ??= texts.map(readBlock));
}

function readBlock(text: string): Block {
  const block = parseBlock(text);
  if (block === undefined) throw new Error(`${text} is no address block`);
  return block;
}
