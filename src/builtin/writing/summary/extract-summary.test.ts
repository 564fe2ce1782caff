import { describe, expect, test } from "vitest";
import { extractSummary, readContent, splitSentences } from "../index.ts";
import { cpuTime } from "../../../../test/support/cpu-time.ts";

interface Row {
  readonly about: string;
  readonly title?: string;
  readonly text: string;
  /** A good summary of 40 % of the text contains this… */
  readonly says: readonly string[];
  /** … and not this. */
  readonly leavesOut: readonly string[];
}

/** Texts written for this table, with their key points. */
const table: readonly Row[] = [
  {
    about: "an English news item",
    text:
      "The harbour town of Kelm will rebuild its old tide mill as a power station. The council voted for the plan on Tuesday " +
      "after two years of debate. The mill is to produce electricity for about four hundred homes from 2028 on. Coffee was " +
      "served in the hall. Engineers will set two turbines into the old sluice of the mill, so that the dam itself need not be " +
      "changed. The plan costs six million euros, of which the state pays half. One visitor had brought her dog. Subscribe to " +
      "our newsletter for more stories like this.",
    says: ["rebuild its old tide mill as a power station"],
    leavesOut: ["Coffee", "dog", "Subscribe"],
  },
  {
    about: "an English explanation with Markdown",
    title: "Write-ahead logging",
    text:
      "# Write-ahead logging\n\n[Home](/) | [Docs](/docs)\n\nWrite-ahead logging makes a database survive a crash by writing " +
      "every change to a log before the change reaches the data files. After a crash, the database reads the log and applies " +
      "the changes that had been committed.\n\n```sql\nPRAGMA journal_mode = WAL;\n```\n\n- Readers do not block the writer, " +
      "since they read the data files as they were.\n- The log grows until a checkpoint copies its changes into the data " +
      "files.\n\n| mode | syncs |\n|---|---|\n| WAL | 1 |\n\nThis page was last edited in May. © 2026 Example. All rights reserved.",
    says: ["survive a crash by writing every change to a log"],
    leavesOut: ["PRAGMA", "|", "rights reserved", "Home"],
  },
  {
    about: "a Chinese news item",
    text:
      "凯尔姆港口城镇将把古老的潮汐磨坊改建为发电站。镇议会经过两年讨论，于周二通过了这项计划。从2028年起，磨坊将为约四百户家庭供电。" +
      "会场里提供了咖啡。工程师将在磨坊原有的水闸中安装两台涡轮机，因此堤坝本身无需改动。该计划耗资六百万欧元，其中一半由国家承担。" +
      "一位来访者带来了她的狗。点击这里订阅我们的新闻。版权所有，转载请注明出处。",
    says: ["潮汐磨坊改建为发电站"],
    leavesOut: ["咖啡", "订阅", "版权所有"],
  },
  {
    about: "a Chinese explanation",
    title: "预写日志",
    text:
      "预写日志是数据库在崩溃后保持数据完整的一种方法。每个修改在写入数据文件之前，都先写入日志。崩溃之后，数据库读取日志，" +
      "重新执行已经提交的修改。读取者不会阻塞写入者，因为它们读取的是旧的数据文件。日志不断增长，直到检查点把其中的修改写回数据文件。" +
      "这一页最后编辑于五月。",
    says: ["预写日志是数据库在崩溃后保持数据完整的一种方法", "都先写入日志"],
    leavesOut: ["五月"],
  },
  {
    about: "Chinese mixed with English",
    text:
      "SQLite 是一个嵌入式数据库，它把整个数据库放在一个文件里。SQLite 不需要服务器进程，应用程序直接读写数据库文件。The WAL mode of " +
      "SQLite lets readers and one writer work at the same time. 我昨天吃了面条。因此 SQLite 很适合放在手机和桌面应用程序里。",
    says: ["SQLite 是一个嵌入式数据库"],
    leavesOut: ["面条"],
  },
];

describe("an extractive summary", () => {
  test.each(table.map((row) => [row.about, row] as const))(
    "a summary of %s contains the important sentences",
    (_, { text, title, says, leavesOut }) => {
      const pieces = [{ text, ...(title !== undefined && { title }) }];
      const { text: summary } = extractSummary(pieces, {
        style: "paragraph",
        maxLength: Math.floor(text.length * 0.4),
      });
      for (const part of says) expect(summary).toContain(part);
      for (const part of leavesOut) expect(summary).not.toContain(part);
      expect(summary.length).toBeLessThanOrEqual(text.length * 0.4);
    },
  );

  test("keeps the order of the text and repeats nothing", () => {
    const text =
      "Mills grind grain into flour. Rivers drive most mills. Mills grind grain into flour. Wind drives other mills.";
    const { text: summary } = extractSummary([{ text }], { style: "bullet-points", maxLength: 500 });
    expect(summary.split("\n").filter((line) => line.includes("grain"))).toHaveLength(1);
    expect(summary.indexOf("grain")).toBeLessThan(summary.indexOf("Rivers"));
    expect(summary.indexOf("Rivers")).toBeLessThan(summary.indexOf("Wind"));
  });

  test("is the same every time", () => {
    const [{ text }] = table as [Row];
    const once = () => extractSummary([{ text }], { style: "structured", maxLength: 300 }).text;
    expect(once()).toBe(once());
  });
});

const family = "👨‍👩‍👧‍👦";

const hostile: Readonly<Record<string, string>> = {
  "1 MB of sentences": "The cat sat on the mat, and it was fine there. ".repeat(22_000),
  "1 MB of different sentences": Array.from(
    { length: 20_000 },
    (_, at) => `Word${at % 977} met thing${at % 331} at place${at}.`,
  ).join(" "),
  "1 MB without a space": "a".repeat(1_000_000),
  "1 MB of words without a sentence": "word ".repeat(200_000),
  "1 MB of Chinese without a full stop": "潮汐磨坊很古老，".repeat(120_000),
  "only code": "```js\nconst a = 1;\nrun(a);\n```",
  "code that never ends": `\`\`\`\n${"x = x + 1\n".repeat(100_000)}`,
  "only emoji": family.repeat(40_000),
  "only brackets": "[".repeat(1_000_000),
  "tags that never close": "<a ".repeat(300_000),
  "links that never close": "[a](".repeat(250_000),
  "only abbreviations": "Dr. ".repeat(250_000),
  "only numbers": "3.14 ".repeat(200_000),
  "only line ends in between": "a\n".repeat(500_000),
  "lone surrogates": "\ud800x. ".repeat(10_000),
};

describe("hostile content", () => {
  test.each(Object.entries(hostile))("%s gives something, in time", (_, text) => {
    const began = cpuTime();
    const { pieces } = readContent(text, 120_000);
    const { text: summary } = extractSummary(pieces, { style: "bullet-points", maxLength: 300 });
    expect(cpuTime() - began).toBeLessThan(1_000);
    expect(summary).not.toBe("");
    expect(summary.length).toBeLessThanOrEqual(300);
    expect(summary.isWellFormed()).toBe(true);
  });

  test("a cut never splits an emoji", () => {
    const { text: summary } = extractSummary([{ text: family.repeat(200) }], { style: "paragraph", maxLength: 100 });
    expect(summary.replaceAll(family, "")).toBe("…");
  });

  test("a thousand pages, deep nesting and endless lists are bounded", () => {
    const pages = Array.from({ length: 1_000 }, (_, at) => ({
      url: `https://a.example/${at}`,
      content: `Page ${at} says this.`,
    }));
    expect(readContent(pages, 10_000)).toMatchObject({ truncated: true, pieces: { length: 50 } });
    let deep: unknown = "text";
    for (let at = 0; at < 1_000; at++) deep = { inner: deep };
    expect(readContent(deep, 1_000)).toEqual({ pieces: [], truncated: true });
    expect(
      readContent(
        Array.from({ length: 100_000 }, () => ({})),
        1_000,
      ),
    ).toEqual({ pieces: [], truncated: true });
  });

  test("long texts leave space for short ones", () => {
    const { pieces, truncated } = readContent(
      [{ text: "x".repeat(5_000) }, { text: "short" }, { text: "y".repeat(5_000) }],
      2_005,
    );
    expect(pieces.map(({ text }) => text.length)).toEqual([1_000, 5, 1_000]);
    expect(truncated).toBe(true);
  });
});

test.each<[string, readonly string[]]>([
  ["Dr. Wu met J. Smith. They talked.", ["Dr. Wu met J. Smith.", "They talked."]],
  ["It costs 3.50 euros. Really? Yes!", ["It costs 3.50 euros.", "Really?", "Yes!"]],
  ["他来了。“走吧！”她说。好吗？", ["他来了。", "“走吧！”", "她说。", "好吗？"]],
  ["One line\nwraps here. Next.", ["One line wraps here.", "Next."]],
  ["第一行\n接着写。", ["第一行接着写。"]],
  ["- first item\n- second item", ["first item", "second item"]],
  ["1. eins\n2) zwei\n3、三", ["eins", "zwei", "三"]],
  ["# Heading\n\nText with **bold** and [a link](https://a.example/x).", ["Text with bold and a link."]],
  ["> quoted text. And more.", ["quoted text.", "And more."]],
  ["a < b and c > d. Fine.", ["a < b and c > d.", "Fine."]],
  ["", []],
])("the sentences of %j are %j", (text, sentences) => {
  expect(splitSentences(text)).toEqual(sentences);
});
