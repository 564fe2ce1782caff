import { isIdle } from "./idle-words.ts";

/** One turn of a conversation. */
export interface ChatTurn {
  readonly role: string;
  readonly content: string;
}

const lookBack = 6;
const longestTurn = 600;
const mostWords = 4;
const mostCharacters = 10;

/** Which topic is looked for. */
export interface TopicWanted {
  /** A person is meant: the answer to a question for somebody, not what the question was about. */
  readonly person: boolean;
  /** What the query names itself. */
  readonly query: string;
}

/**
 * What the last turns were about, by plain counting: runs of up to four telling words in the last six turns, those of
 * later turns and of the user, with capitals, in quotes, or owning something (法国的人口) before others.
 */
export function chatTopic(history: readonly ChatTurn[], { person, query }: TopicWanted): string | undefined {
  const turns = history.slice(-lookBack).map(({ role, content }) => ({ role, text: content.slice(0, longestTurn) }));
  const left = person ? new Set(turns.flatMap(({ text }) => askedAbout(text))) : new Set<string>();
  const scores = new Map<string, { readonly topic: string; score: number }>();
  for (const [age, { role, text }] of turns.toReversed().entries()) {
    const weight = (role === "user" || role === "human" ? 3 : 1) / (1 + age);
    for (const [key, { topic, score }] of bestOfEach(topicsIn(text))) {
      if (left.has(key) || query.toLowerCase().includes(key)) continue;
      const entry = scores.get(key) ?? { topic, score: 0 };
      entry.score += weight * score;
      scores.set(key, entry);
    }
  }
  return best([...scores.values()])?.topic;
}

interface Topic {
  /** As it is written. */
  readonly topic: string;
  readonly score: number;
}

/** Saying something often makes it no more of a topic. */
function bestOfEach(topics: readonly Topic[]): Map<string, Topic> {
  const found = new Map<string, Topic>();
  for (const topic of topics) {
    const key = topic.topic.toLowerCase();
    const known = found.get(key);
    if (known === undefined || known.score < topic.score) found.set(key, topic);
  }
  return found;
}

function best<Scored extends { readonly score: number }>(all: readonly Scored[]): Scored | undefined {
  return all.reduce<Scored | undefined>(
    (best, one) => (best === undefined || one.score > best.score ? one : best),
    undefined,
  );
}

/** What a question for a person speaks of: Hamlet, in "who wrote Hamlet"; but in "who is Ada" it is the person. */
function askedAbout(text: string): string[] {
  const asksWho = /谁|\bwho\b/iu.test(text) && !/是谁|\bwho(?:['’]s|\s+(?:is|was|are|were))\b/iu.test(text);
  return asksWho ? topicsIn(text).map(({ topic }) => topic.toLowerCase()) : [];
}

interface Word {
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

let segmenter: Intl.Segmenter | undefined;

/** The words of a text, also where they are not set apart. */
export function wordsIn(text: string): Word[] {
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  return [...segmenter.segment(text)].flatMap(({ segment, index, isWordLike }) =>
    isWordLike === true ? [{ text: segment, at: index, end: index + segment.length }] : [],
  );
}

/** Runs of telling words. */
function topicsIn(text: string): Topic[] {
  const topics: Topic[] = [];
  let run: Word[] = [];
  const end = (): void => {
    const [first] = run;
    const last = run.at(-1);
    run = [];
    if (first === undefined || last === undefined) return;
    const topic = text.slice(first.at, last.end);
    if (topic.length > 1 && !/^\d+$/.test(topic)) topics.push({ topic, score: tellingness(topic, text, first.at) });
  };
  for (const word of wordsIn(text)) {
    const before = run.at(-1);
    if (before !== undefined && (!/^[ \-'’.·]?$/.test(text.slice(before.end, word.at)) || isFull(run))) end();
    if (isIdle(word.text, /(?:^|[.!?:;,\n。！？：；，])\s*$/u.test(text.slice(Math.max(0, word.at - 3), word.at))))
      end();
    else run.push(word);
  }
  end();
  return topics;
}

/** Names in Chinese are often cut into single characters. */
function isFull(run: readonly Word[]): boolean {
  const unspaced = run.some(({ text }) => /\p{Script=Han}/u.test(text));
  return run.length === (unspaced ? mostCharacters : mostWords);
}

function tellingness(topic: string, text: string, at: number): number {
  const named = /\p{Lu}/u.test(topic.slice(1)) || /^\p{Lu}\p{L}+$/u.test(topic) || /\p{Script=Han}/u.test(topic);
  const around = {
    before: text.slice(Math.max(0, at - 8), at),
    after: text.slice(at + topic.length, at + topic.length + 1),
  };
  return (named ? 2 : 1) * Math.sqrt(Math.min(mostWords, topic.split(/\s+/).length)) * standing(around);
}

/** What is quoted or owns something is what is spoken of; what somebody or something owns is less so. */
function standing({ before, after }: { readonly before: string; readonly after: string }): number {
  if (/["“「《]$/u.test(before) && /^["”」》]/u.test(after)) return 2;
  if (after === "的") return 1.5;
  return /的$|\b(?:my|our|your|his|her|their|its)\s+$/iu.test(before) ? 0.5 : 1;
}
