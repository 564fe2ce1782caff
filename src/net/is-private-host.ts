/** Names under these belong to the network one is in: special-use names, and those that home and office routers use. */
const privateSuffixes =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|onion)$/;

/** True if this is the name of a host in a private network. A single label resolves by the search domains. */
export function isPrivateHost(host: string): boolean {
  return !host.includes(".") || privateSuffixes.test(host);
}
