/** What somebody typed, or did instead. */
export type Typed =
  | { readonly kind: "line"; readonly text: string }
  /** Ctrl-C; whether something was typed before it, which is gone now. */
  | { readonly kind: "interrupt"; readonly cleared: boolean }
  /** A line that is no text; `what` says which. */
  | { readonly kind: "unreadable"; readonly what: string }
  /** There is no more to come. */
  | { readonly kind: "end" };

/** Where the lines of a chat come from. */
export interface LineInput {
  /** The next one; ends when the signal is aborted. */
  next(signal: AbortSignal): Promise<Typed>;
  close(): void;
}
