/** Limits of a server in time and size. */
export interface McpLimits {
  /**
   * Maximum size of one message of a server, and so of one result; a larger one fails its call, and the connection
   * stays open.
   */
  readonly messageBytes: number;
  /** Time from the start of the program, or of the connection, to the end of the handshake. */
  readonly handshakeMs: number;
  /** Time to wait for a program's protocol versions before the older version is tried. */
  readonly probeMs: number;
  readonly listPages: number;
  readonly listEntries: number;
  readonly listBytes: number;
  /** Maximum number of elicitation rounds of one call. */
  readonly elicitationRounds: number;
  /** Maximum rate; beyond it, a server is read more slowly. */
  readonly notificationsPerSecond: number;
  readonly logLinesPerSecond: number;
  /** Time to wait for a program after each of: the end of its stdin, SIGTERM. */
  readonly endMs: number;
  /** Changes of the list of tools within this time are reported once. */
  readonly changesMs: number;
}

/** Default limits. */
export const defaultMcpLimits: McpLimits = {
  messageBytes: 16 * 2 ** 20,
  handshakeMs: 60_000,
  probeMs: 5_000,
  listPages: 100,
  listEntries: 10_000,
  listBytes: 64 * 2 ** 20,
  elicitationRounds: 10,
  notificationsPerSecond: 2_000,
  logLinesPerSecond: 100,
  endMs: 1_000,
  changesMs: 250,
};
