import type { Redactor } from "../../../text/index.ts";
import { isRecord } from "../../../schema/index.ts";
import type { JsonRecord } from "../server/read-json.ts";

/** The parts of a stream without secrets that came in several pieces: such a text is all in its first piece. */
export function coverPieces(said: readonly unknown[], redactor: Redactor): readonly unknown[] {
  const texts = new Map<string, string>();
  for (const part of said) if (isPiece(part)) texts.set(textOf(part), (texts.get(textOf(part)) ?? "") + part.delta);
  const covered = new Map<string, string>();
  for (const [name, text] of texts) {
    const safe = redactor.text(text);
    if (safe !== text) covered.set(name, safe);
  }
  if (covered.size === 0) return said;
  return said.map((part) => {
    const text = isPiece(part) ? covered.get(textOf(part)) : undefined;
    if (text === undefined || !isPiece(part)) return part;
    covered.set(textOf(part), "");
    return { ...part, delta: text };
  });
}

type Piece = JsonRecord & { readonly delta: string };

function isPiece(part: unknown): part is Piece {
  return isRecord(part) && typeof part.delta === "string";
}

/** Which of the texts that come beside each other a piece belongs to. */
function textOf({ type, id }: Piece): string {
  return `${String(type)} ${String(id)}`;
}
