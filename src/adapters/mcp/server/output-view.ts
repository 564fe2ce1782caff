import { stripUnsafe } from "../../../text/index.ts";
import type { ToolSuccess } from "../../../tool/index.ts";

/** What of an output a client gets to read. */
export interface OutputView {
  readonly text: string;
  /** The text is not all of it. */
  readonly isCut: boolean;
}

/** For whom a call was made: what is kept of its result is theirs alone. */
export interface ViewFor {
  readonly principal: string | undefined;
  /** Of the client's session or connection; undefined where a client has none. */
  readonly conversationId: string | undefined;
}

/** Makes the text of an output, which has no secrets any more: all of it, or a part with a word on how to get the rest. */
export type ViewOutput = (result: ToolSuccess, owner: ViewFor) => OutputView | Promise<OutputView>;

/** More than a client's model can read at once. */
const longestText = 100_000;

/** The whole text up to a length, else its beginning and how much is missing; without what a reader would not see. */
export function cutOutput(longest: number = longestText): ViewOutput {
  return ({ output }) => {
    const text = textOf(output);
    if (text.length <= longest) return { text, isCut: false };
    const shown = text.slice(0, longest).toWellFormed();
    const note = `[cut: the first ${longest} of ${text.length} characters; ask for less, or for a part of it]`;
    return { text: `${shown}\n${note}`, isCut: true };
  };
}

function textOf(output: unknown): string {
  return stripUnsafe(typeof output === "string" ? output : (JSON.stringify(output) ?? ""));
}
