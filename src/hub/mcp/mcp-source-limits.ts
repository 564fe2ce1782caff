/** What is taken of servers, and how long they are waited for. */
export interface McpSourceLimits {
  readonly descriptionChars: number;
  /** One definition, as JSON. */
  readonly definitionChars: number;
  /** All definitions of a server together. */
  readonly serverChars: number;
  readonly tools: number;
  /** A list of tools that takes longer counts as a failure of the server. */
  readonly listMs: number;
  /** A connection that nobody used for so long is closed. */
  readonly idleMs: number;
  /** How long closing waits for servers. */
  readonly closeMs: number;
  /** So many failures in a row, and a server is left alone for a while. */
  readonly openAfter: number;
  /** How long at first; twice as long after each further failure. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** Changes of a list are looked at no more often than this. */
  readonly relistMs: number;
  /** One text of a result, or of an error, beyond which it is cut. */
  readonly errorChars: number;
}

/** The limits where nothing else is said. */
export const usualLimits: McpSourceLimits = {
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
