import { type Address, type Block, contains, parseBlock } from "./address.ts";
import { wrappedIn } from "./wrapped-address.ts";

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
  "169.254.0.0/16", // AWS, Azure, Google and most others; a few at other numbers of it
  "fe80::/10", // OpenStack, Akamai
  "100.96.0.96/32", // Volcengine
  "100.100.100.200/32", // Alibaba
  "fd00:100::100:200/128", // Alibaba
  "168.63.129.16/32", // Azure, from its virtual networks
  "192.0.0.0/24", // Oracle, its older machines
  "fd00:c1::a9fe:a9fe/128", // Oracle
  "fd00:ec2::/32", // AWS, with what it gives to containers
  "fd20:ce::/32", // Google
  "fd00:42::42/128", // Scaleway
  "fd00:a9fe:a9fe::/48", // Akamai
);

/** Is this an address at which a cloud may give away the credentials of the machine? Also where IPv6 wraps it. */
export function isMetadataAddress(address: Address): boolean {
  return [address, ...wrappedIn(address)].some((one) => metadata().some((block) => contains(block, one)));
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
