import { sentenceEnds } from "../../text/index.ts";
import { type ParsedNumber, numbersIn } from "./parse-numbers.ts";
import { wordSet } from "./token-similarity.ts";

/** One sentence, prepared for comparison. */
export interface Statement {
  readonly text: string;
  /** Without numbers, their multipliers, and negations. */
  readonly words: ReadonlySet<string>;
  readonly numbers: readonly ParsedNumber[];
  readonly denies: boolean;
}

/** Maximum number of sentences to compare. */
const maxStatements = 60;

const denial = /\b(?:not|never|cannot)\b|n['’]t\b|\bno\b(?! ?\.)/gi;
const chineseDenial = /并非|不是|没有|未曾|从未|不(?![仅但断同过])|没|未/g;

/** Words that belong to the number before them. */
const scale = /(?<=\d\s?)(?:(?:thousand|million|billion)\b|百万|十亿|[千亿万])/gi;

/** The sentences of a text. JSON is skipped, because two rows of a table look alike. */
export function splitStatements(text: string): Statement[] {
  return splitLinesAndSentences(text)
    .filter((sentence) => !/^[[{]/.test(sentence))
    .slice(0, maxStatements)
    .map(toStatement);
}

/** The sentences and lines of a text, without blanks around them. */
export function splitLinesAndSentences(text: string): string[] {
  const sentences: string[] = [];
  for (const line of text.split("\n")) {
    let from = 0;
    for (const end of sentenceEnds(line)) {
      sentences.push(line.slice(from, end).trim());
      from = end;
    }
    sentences.push(line.slice(from).trim());
  }
  return sentences.filter((sentence) => sentence !== "");
}

function toStatement(text: string): Statement {
  const bare = text.replaceAll(denial, " ").replaceAll(chineseDenial, "");
  return { text, words: wordSet(bare.replaceAll(scale, " ")), numbers: numbersIn(text), denies: bare !== text };
}
