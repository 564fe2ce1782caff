import { stripUnsafe } from "../../../text/index.ts";
import type { ToolSuccess } from "../../../tool/index.ts";

/** The part of an output that a client reads. */
export interface OutputView {
  readonly text: string;
  /** True if the text is not the whole output. */
  readonly isCut: boolean;
}

/** The recipient of a call's result, who alone may read the stored result. */
export interface OutputRecipient {
  readonly principal: string | undefined;
  /** Conversation of the client's session or connection; undefined if it has none. */
  readonly conversationId: string | undefined;
}

/**
 * Creates the text of an output, whose secrets are already redacted: all of it, or a part with a hint how to get the
 * rest.
 */
export type ViewOutput = (result: ToolSuccess, owner: OutputRecipient) => OutputView | Promise<OutputView>;

/** More than a client's model can read at once. */
const maxTextLength = 100_000;

/** The whole text up to a length, else its beginning and the omitted length; without invisible characters. */
export function cutOutput(maxLength: number = maxTextLength): ViewOutput {
  return ({ output }) => {
    const text = stripUnsafe(typeof output === "string" ? output : (JSON.stringify(output) ?? ""));
    if (text.length <= maxLength) return { text, isCut: false };
    const shown = text.slice(0, maxLength).toWellFormed();
    const note = `[truncated: the first ${maxLength} of ${text.length} characters; request less, or only a part]`;
    return { text: `${shown}\n${note}`, isCut: true };
  };
}
