/** What a server may take, in time and in size. */
export interface McpLimits {
  /** One message of a server, and with it one result; a larger one fails its call, and the connection goes on. */
  readonly messageBytes: number;
  /** From the start of the program, or of the connection, to the end of the handshake. */
  readonly handshakeMs: number;
  /** How long a program may leave the question for its protocol versions unanswered; then the older one is tried. */
  readonly probeMs: number;
  readonly listPages: number;
  readonly listEntries: number;
  readonly listBytes: number;
  /** How often one call may come back with questions instead of a result. */
  readonly questionRounds: number;
  /** Beyond this, a server is read more slowly. */
  readonly notificationsPerSecond: number;
  readonly logLinesPerSecond: number;
  /** How long a program is waited for after each of: the end of its input, SIGTERM. */
  readonly endMs: number;
  /** Changes of the list of tools within this time are one. */
  readonly changesMs: number;
}

/** The limits where nothing else is set. */
export const defaultLimits: McpLimits = {
  messageBytes: 16 * 2 ** 20,
  handshakeMs: 60_000,
  probeMs: 5_000,
  listPages: 100,
  listEntries: 10_000,
  listBytes: 64 * 2 ** 20,
  questionRounds: 10,
  notificationsPerSecond: 2_000,
  logLinesPerSecond: 100,
  endMs: 1_000,
  changesMs: 250,
};
