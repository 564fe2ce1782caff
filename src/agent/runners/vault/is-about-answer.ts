import { isStopWord } from "../notes/stop-words.ts";

/** Requests about an answer: to change it, or to explain it. */
const answerRequests =
  "shorter shorten short longer brief briefly briefer concise concisely compact simpler simply simplify detail details " +
  "detailed elaborate expand rephrase reword reformulate paraphrase rewrite translate translated translation repeat " +
  "bullets bullet tldr clarify continue mean means meant " +
  "简短 简短点 简单 简单点 简洁 简化 精简 缩短 短 短点 短些 长 长点 长些 详细 详细点 详尽 具体 具体点 展开 翻译 译 译成 重复 再说 一遍 换 换个 " +
  "说法 意思 继续 改写 润色 概括";
/** Words that accompany them. */
const companions =
  "sentence sentences paragraph paragraphs line lines point points item items step steps part parts word words form one " +
  "two three four five first second third fourth fifth language same way bit little go on make put turn keep english " +
  "chinese mandarin german french spanish italian portuguese dutch russian japanese korean " +
  "成 得 点 些 句 句子 段 段落 点儿 话 句话 一句 一句话 两句 两句话 遍 次 版 版本 语言 第 一 二 三 四 五 六 七 八 九 十 最后 第一 第二 第三 第四 第五 " +
  "英文 英语 中文 汉语 德语 德文 法语 法文 日语 日文 韩语 俄语 西班牙语 意大利语 葡萄牙语 继续说";

const requestWords: ReadonlySet<string> = new Set(answerRequests.split(" "));
const companion: ReadonlySet<string> = new Set(companions.split(" "));

const language =
  "english|chinese|mandarin|german|french|spanish|italian|portuguese|dutch|russian|japanese|korean|one sentence|(?:two|three|four|five|a few) (?:sentences|words|points)";
const inLanguage = new RegExp(
  `\\b(?:in|into|to)\\s+(?:${language})\\b|[用成为](?:英|中|德|法|日|韩|汉|俄|西班牙|意大利|葡萄牙)[文语]|用.{1,2}句话`,
  "iu",
);
const ordinalReference =
  /\b(?:first|second|third|fourth|fifth|last)\s+(?:sentence|paragraph|line|point|item|step|part|word|one)\b|\b(?:sentence|paragraph|line|point|item|step|part)\s+\d{1,2}\b|(?:第[一二三四五六七八九十\d]{1,3}|最后一)[句条点段项步个]/iu;
/** The prompt is about written notes. */
const noteRequest =
  /\b(?:notes?|vault|wrote|written|journal|diary|(?:did|do|have|had) (?:i|we))\b|笔记|日记|日志|[写记](?:[了过]|录)/iu;

const maxLength = 120;
let segmenter: Intl.Segmenter | undefined;

/**
 * True if a message only comments on the answer before it, such as "Shorter please", "in German" and 再详细一点. It must
 * name nothing else: such a message has nothing to search for.
 */
export function isAboutAnswer(text: string): boolean {
  const normalized = text.trim().toLowerCase();
  if (normalized.length > maxLength || noteRequest.test(normalized) || /["“「『《]/u.test(normalized)) return false;
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  const words = [...segmenter.segment(normalized)].flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? segment : [],
  );
  if (!words.every((word) => requestWords.has(word) || companion.has(word) || isStopWord(word) || isCount(word)))
    return false;
  return (
    words.some((word) => requestWords.has(word)) || inLanguage.test(normalized) || ordinalReference.test(normalized)
  );
}

/** `2`, and 第二 as well as 两句. */
function isCount(word: string): boolean {
  return /^(?:\d{1,2}|第?[一二两三四五六七八九十几\d]{1,3}[句条点段项步个遍次]?)$/u.test(word);
}
