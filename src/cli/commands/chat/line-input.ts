/** A line that was typed, or another input event. */
export type TerminalInputEvent =
  | { readonly kind: "line"; readonly text: string }
  /** Ctrl-C; `cleared` if it discarded typed text. */
  | { readonly kind: "interrupt"; readonly cleared: boolean }
  /** A line that is not valid text; `what` names the line. */
  | { readonly kind: "unreadable"; readonly source: string }
  /** End of input. */
  | { readonly kind: "end" };

/** Source of the lines of a chat. */
export interface LineInput {
  /** The next event; an `end` event if the signal is aborted. */
  next(signal: AbortSignal): Promise<TerminalInputEvent>;
  close(): void;
}
