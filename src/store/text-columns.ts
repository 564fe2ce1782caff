import type { TextDocument } from "./text-index.ts";
import { readTokens } from "./text-tokens.ts";

/** The terms of a document by column; the column decides their weight. */
export interface TermColumns {
  readonly title: string;
  readonly body: string;
  readonly tags: string;
  /** Identifiers joined to one term, and the words of the path; unordered. */
  readonly extra: string;
}

/** Returns the weight of a term in each column, relative to the body. */
export function columnWeights(titleWeight = 5): readonly [title: number, body: number, tags: number, extra: number] {
  const safe = Number.isFinite(titleWeight) ? Math.min(100, Math.max(0, titleWeight)) : 5;
  return [safe, 1, Math.max(1, safe * 0.8), 1];
}

/** Splits a document into its terms, separated by spaces. */
export function termColumns(document: Pick<TextDocument, "title" | "body" | "tags" | "path">): TermColumns {
  const { title, body, tags, path } = document;
  const extra = new Set<string>();
  const column = (text: string): string => {
    let terms = "";
    readTokens(text, {
      term(term) {
        terms += terms === "" ? term : ` ${term}`;
      },
      joined: (term) => void extra.add(term),
      wordEnd() {},
    });
    return terms;
  };
  const columns = { title: column(title), body: column(body), tags: column(tags.join("\n")) };
  // The file extension is not indexed: most documents of a collection have the same.
  const pathTerms = path === undefined ? "" : column(path.replace(/\.[A-Za-z0-9]{1,8}$/, ""));
  return { ...columns, extra: [...extra, pathTerms].join(" ").trim() };
}
