/** Names under these belong to the network one is in: special-use names, and those that home and office routers use. */
const privateSuffixes =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|onion)$/;

/** Is this the name of a host inside a private network? One of a single label means whatever search domains make of it. */
export function isPrivateName(host: string): boolean {
  return !host.includes(".") || privateSuffixes.test(host);
}
