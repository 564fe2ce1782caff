// Notes for bench/vault.ts: generated deterministically, 40 % of them in Chinese.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A generated note. */
export interface MadeNote {
  readonly path: string;
  readonly text: string;
}

/** Returns a seeded generator of pseudo-random numbers. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const syllables = "ba ce di fo gu ha ke li mo nu pa re si to vu wa xe zi an er in or un est ing all ment tion".split(
  " ",
);
const everyday =
  "数据库系统文件网络安全管理学习机器语言程序设计工具模型知识笔记研究方法结果问题分析实验过程内容信息技术应用开发测试" +
  "运行时间空间结构对象函数变量类型接口服务客户请求响应缓存索引查询排序搜索引擎算法复杂度图形界面用户体验产品项目计划";

function wordsOf(count: number, make: () => string): string[] {
  const words = new Set<string>();
  while (words.size < count) words.add(make());
  return [...words];
}

/** Writes the notes below a folder, a thousand per subfolder, and returns them. */
export function writeNotes(folder: string, count: number): MadeNote[] {
  const next = random(7);
  const pick = (from: string | readonly string[]): string => from[Math.floor(next() * from.length)] ?? "";
  const many = (min: number, max: number, make: () => string): string =>
    Array.from({ length: min + Math.floor(next() * (max - min + 1)) }, make).join("");
  const english = wordsOf(60_000, () => many(2, 4, () => pick(syllables)));
  // Half of the characters of a text are common ones; the others come from about two thousand.
  const character = (): string =>
    next() < 0.5 ? pick(everyday) : String.fromCharCode(0x4e00 + 7 * Math.floor(next() * 2000));
  const chinese = wordsOf(60_000, () => (next() < 0.8 ? many(2, 2, character) : many(3, 4, character)));
  // As in real texts, the tenth most frequent word is a tenth as frequent as the first.
  const word = (from: readonly string[]): string => from[Math.floor(from.length ** next()) - 1] ?? "";
  const notes: MadeNote[] = [];
  for (let number = 0; number < count; number++) {
    if (number % 1000 === 0) mkdirSync(join(folder, `f${number / 1000}`), { recursive: true });
    const zh = next() < 0.4;
    const sentence = (): string =>
      zh
        ? `${Array.from({ length: 6 + Math.floor(next() * 10) }, () => word(chinese)).join("")}。`
        : `${Array.from({ length: 6 + Math.floor(next() * 10) }, () => word(english)).join(" ")}. `;
    const paragraph = (): string => Array.from({ length: 2 + Math.floor(next() * 4) }, sentence).join("");
    const title = zh ? word(chinese) + word(chinese) : `${word(english)} ${word(english)}`;
    const front = next() < 0.5 ? `---\ntags: [${zh ? "中文" : "english"}, t${number % 50}]\n---\n` : "";
    const body = Array.from({ length: 2 + Math.floor(next() * 6) }, () => `## ${title}\n\n${paragraph()}\n`).join("\n");
    const text = `${front}# ${title}\n\n${body}`;
    const path = `f${Math.floor(number / 1000)}/n${number}.md`;
    writeFileSync(join(folder, path), text);
    notes.push({ path, text });
  }
  return notes;
}
