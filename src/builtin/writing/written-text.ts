/** A text that was written. */
export interface WrittenText {
  readonly title: string;
  /** Markdown. */
  readonly content: string;
  /** Number of words; in scripts without spaces, of characters. */
  readonly words: number;
}

/** Returns a text with its title: its first heading, or the alternative. */
export function toWrittenText(content: string, otherwise: unknown): WrittenText {
  const [, heading] = /^#[^\S\n]+(.+)$/m.exec(content) ?? [];
  return { title: heading?.trim() ?? titleOf(otherwise), content, words: countWords(content) };
}

/** Returns the title of an outline, or of a text that was written before. */
function titleOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  const { title, topic } = value as Record<string, unknown>;
  return [title, topic].find((text) => typeof text === "string") ?? "";
}

function countWords(text: string): number {
  return text.match(/[\u3040-\u30ff\u3400-\u9fff]|[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0;
}
