import { sentenceEnds } from "../../text/index.ts";
import { type FoundNumber, numbersIn } from "./numbers-in.ts";
import { wordsOf } from "./token-similarity.ts";

/** One sentence, as it is compared with others. */
export interface Statement {
  readonly text: string;
  /** Without numbers and words of denial. */
  readonly words: ReadonlySet<string>;
  readonly numbers: readonly FoundNumber[];
  readonly denies: boolean;
}

/** More of them are not compared. */
const mostStatements = 60;

const denial = /\b(?:not|never|cannot)\b|n['’]t\b|\bno\b(?! ?\.)/gi;
const chineseDenial = /并非|不是|没有|未曾|从未|不(?![仅但断同过])|没|未/g;

/** The sentences of a text. What is written as JSON says nothing in sentences: two rows of a table look alike. */
export function statementsOf(text: string): Statement[] {
  return sentencesOf(text)
    .filter((sentence) => !/^[[{]/.test(sentence))
    .slice(0, mostStatements)
    .map(toStatement);
}

/** The sentences and lines of a text, without blanks around them. */
export function sentencesOf(text: string): string[] {
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
  return { text, words: wordsOf(bare), numbers: numbersIn(text), denies: bare !== text };
}
