/** Limits on what servers may send and how long they may take. */
export interface McpSourceLimits {
  readonly descriptionChars: number;
  /** One definition, as JSON. */
  readonly definitionChars: number;
  /** All definitions of a server together. */
  readonly serverChars: number;
  readonly tools: number;
  /** A list of tools that takes longer counts as a failure of the server. */
  readonly listMs: number;
  /** A connection that is unused for this long is closed. */
  readonly idleMs: number;
  /** Maximum time that closing waits for servers. */
  readonly closeMs: number;
  /** Consecutive failures after which a server is skipped for a cool-down. */
  readonly openAfter: number;
  /** Initial cool-down; it doubles after each further failure. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** Minimum interval between two listings after change notifications. */
  readonly relistMs: number;
  /** One text of a result, or of an error, beyond which it is cut. */
  readonly errorChars: number;
}

/** Default limits. */
export const defaultMcpSourceLimits: McpSourceLimits = {
  descriptionChars: 10_000,
  definitionChars: 262_144,
  serverChars: 8_388_608,
  tools: 1_000,
  listMs: 60_000,
  idleMs: 300_000,
  closeMs: 5_000,
  openAfter: 3,
  firstRetryMs: 1_000,
  lastRetryMs: 60_000,
  relistMs: 1_000,
  errorChars: 2_000,
};
