import { describe, expect, test } from "vitest";
import { tokenSimilarity } from "./token-similarity.ts";
import { verifyResult } from "./verify-result.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

/** The kinds of the issues found. */
function kinds(text: string, earlier: readonly string[] = []): string[] {
  return verifyResult(text, { earlier: earlier.map((before, at) => ({ id: `s${at + 1}`, text: before })) }).issues.map(
    ({ kind }) => kind,
  );
}

describe("[C17] a result and earlier ones", () => {
  test.each([
    ["The tide mill at Woodbridge was built in 1170.", "The tide mill at Woodbridge was built in 1793."],
    ["木桥镇的潮汐磨坊建于1170年。", "木桥镇的潮汐磨坊建于1793年。"],
    ["The population of the town is 1.2 million.", "The population of the town is 1,900,000."],
    ["The bridge is open to traffic today.", "The bridge is not open to traffic today."],
    ["这座桥今天可以通行。", "这座桥今天不可以通行。"],
    ["The mill isn't used any more as a museum.", "The mill is used any more as a museum."],
  ])("%s contradicts: %s", (before, after) => {
    expect(kinds(after, [before])).toEqual(["contradiction"]);
  });

  test.each([
    ["The mill was built in 1170.", "The mill was built in 1170."],
    ["The population is 1.2 million.", "The population is 1,200,000."],
    ["人口为120万。", "人口为1200000。"],
    ["The value of pi is 3.14159.", "The value of pi is 3.14."],
    ["In 2023 the revenue was 5 million.", "In 2024 the revenue was 7 million."],
    ["Cats eat 3 mice.", "The harbour has 40 boats and a long pier."],
    ["The price of apples in Berlin is 3.", "The price of pears in Munich is 4."],
    ["42", "43"],
    [
      '{"city":"Paris","sky":"clear","humidity":40,"temp":12}',
      '{"city":"Paris","sky":"clear","humidity":60,"temp":15}',
    ],
  ])("%s agrees with: %s", (before, after) => {
    expect(kinds(after, [before])).toEqual([]);
  });

  test.each([
    [
      "The old tide mill at Eling on the south coast of England was first built by monks in 1785.",
      "The old tide mill at Woodbridge on the south coast of England was first built by monks in 1793.",
    ],
    ["The mill was built in 1785.", "The other mill was built in 1793."],
    ["The north mill grinds 40 sacks.", "The north mill in winter grinds 20 sacks."],
    ["Mill 1 was built in 1785.", "Mill 2 was built in 1793."],
    ["Mill 1 was built in 1785.", "Mill 2 was built in 1785."],
    ["Mill no. 1 dates from 1785.", "Mill no. 2 dates from 1793."],
    ["1号磨坊建于1785年。", "2号磨坊建于1793年。"],
    ["第1座磨坊建于1785年。", "第2座磨坊建于1785年。"],
    [
      "木桥镇的那座古老的潮汐磨坊由当地的僧侣最早建于1785年。",
      "伊林镇的那座古老的潮汐磨坊由当地的僧侣最早建于1793年。",
    ],
    ["The mill was built in 1785. The mill was built in 1793.", "The mill was built in 1793."],
  ])("[H15] %s is about another thing than: %s", (before, after) => {
    expect(kinds(after, [before])).toEqual([]);
    expect(kinds(before, [after])).toEqual([]);
  });

  test.each([
    ["Mill 1 was built in 1785.", "Mill 1 was built in 1793."],
    ["1号磨坊建于1785年。", "1号磨坊建于1793年。"],
    ["The mill has 4 wheels and 2 floors.", "The mill has 5 wheels and 2 floors."],
    ["The total reached 40.", "The total reached 50."],
  ])("[H15] %s still contradicts: %s", (before, after) => {
    expect(kinds(after, [before])).toEqual(["contradiction"]);
  });

  test("an issue names the step that disagrees, and both sentences", () => {
    const earlier = [{ id: "step-1", text: "The mill was built in 1170." }];
    const { issues } = verifyResult("It stands by the river. The mill was built in 1793.", { earlier });
    expect(issues).toEqual([
      {
        kind: "contradiction",
        severity: "error",
        message: 'it says "The mill was built in 1793.", and step-1 says "The mill was built in 1170."',
        quote: "The mill was built in 1793.",
        against: "step-1",
      },
    ]);
  });

  test("a result that is unrelated to its basis loses confidence, and no more", () => {
    const basis = "Tide mills store water behind a dam at high tide and let it drive wheels later.";
    const text =
      "Quantum computers factor large integers using entangled qubits, interference plus careful measurement.";
    const { verified, confidence, issues } = verifyResult(text, {
      earlier: [{ id: "step-1", text: basis, isBasis: true }],
    });
    expect({ verified, confidence, kinds: issues.map(({ kind }) => kind) }).toEqual({
      verified: true,
      confidence: 0.9,
      kinds: ["unrelated"],
    });
  });

  test("similarity is Jaccard over words, in Chinese over pairs of characters", () => {
    expect(tokenSimilarity("red apples", "red pears")).toBeCloseTo(1 / 3);
    expect(tokenSimilarity("潮汐磨坊", "潮汐磨坊")).toBe(1);
    expect(tokenSimilarity("", "something")).toBe(0);
  });
});

describe("[C17] numbers", () => {
  test.each([
    ["140% of the visitors came by train.", "range"],
    ["约百分之120的人同意。", "range"],
    ["-20% of voters agree.", "range"],
    ["The probability is 1.7.", "range"],
    ["The probability of rain is about 1.2 tomorrow", "range"],
    ["下雨的概率为1.5。", "range"],
    ["There were -3 people in the room.", "range"],
    ["共有 -5 个结果。", "range"],
    ["2+2=5", "arithmetic"],
    ["So 12 × 3 = 37, as one sees.", "arithmetic"],
    ["1,200 / 4 = 310", "arithmetic"],
    ["15% * 240 = 40", "arithmetic"],
    ["所以 3 + 4 等于 8。", "arithmetic"],
    ["- 3 + 4 = 8", "arithmetic"],
  ])("%s is reported", (text, kind) => {
    expect(kinds(text)).toEqual([kind]);
  });

  test.each([
    "40% of the visitors came by train, 60% by car.",
    "Sales grew by 140% in a year.",
    "销售额同比增长了140%。",
    "A range of 0-100% is usual.",
    "The probability is 0.7, or 70%.",
    "The probability of 3 heads is 0.125.",
    "概率为 70%。",
    "It was -3 degrees.",
    "下降了 -5 个百分点。",
    "2+2=4",
    "- 3 + 4 = 7",
    "1. 3 + 4 = 7",
    "10 / 3 = 3.33",
    "2/3 = 66.7%",
    "15% * 240 = 36",
    "22 / 7 = about 3.1",
    "11 / 4 = 2 remainder 3",
    "x = 3 + 4",
    "a=b, c = 5",
    "2024-01-05 = a day",
    "(2 + 3) * 4 = 20 = 4 * 5",
    "version 1.2.3 = new",
    "1.5 million + 0.5 million = 2 million",
  ])("%s passes", (text) => {
    expect(kinds(text)).toEqual([]);
  });
});

describe("[C17] times", () => {
  test.each([
    "It is 25:61 now.",
    "The meeting is at 9:75.",
    "Due on 2024-13-05.",
    "Due on 2023-02-29.",
    "截止2024年13月5日。",
    "2月30日见。",
    "February 30, 2024",
    "现在25点10分。",
    "13:30 pm",
  ])("%s is reported", (text) => {
    expect(kinds(text)).toEqual(["time"]);
  });

  test.each([
    "2024-02-29T23:59:60Z",
    "It is 24:00.",
    "On February 29 we met.",
    "May 12, 2024, 9:05 am",
    "2024年2月29日 下午3点05分",
    "The ratio is 16:90.",
    "比分 25:61",
    "chapter 119:105",
    "经过3个月10日",
    "::1 and 10.0.0.1:8080",
  ])("%s passes", (text) => {
    expect(kinds(text)).toEqual([]);
  });

  test("a result that should be a time and is not is reported", () => {
    const { verified, issues } = verifyResult("Soon, I think.", { expects: "time" });
    expect({ verified, kind: issues[0]?.kind }).toEqual({ verified: false, kind: "time" });
    expect(verifyResult("2026-02-25 18:50", { expects: "time" }).verified).toBe(true);
    expect(verifyResult("1771987800000", { expects: "time" }).verified).toBe(true);
  });
});

describe("[C17] the verdict", () => {
  test("each error subtracts 0.3 from the confidence, each warning 0.1, down to 0", () => {
    expect(verifyResult("All is well.")).toEqual({ verified: true, confidence: 1, issues: [] });
    expect(verifyResult("2+2=5").confidence).toBe(0.7);
    expect(verifyResult("It is 25:61, and 2 + 2 = 5.")).toMatchObject({ verified: false, confidence: 0.4 });
    expect(verifyResult("2+2=5\n".repeat(9))).toMatchObject({ verified: false, confidence: 0 });
    expect(verifyResult(" \n")).toMatchObject({ verified: false, confidence: 0.7, issues: [{ kind: "empty" }] });
  });

  test("hostile texts are checked quickly, with few issues", () => {
    const texts = [
      "1+".repeat(50_000) + "1=3",
      "(".repeat(20_000) + "=1",
      "9".repeat(50_000) + "%",
      "probability ".repeat(5000),
      "=".repeat(20_000),
      "百分之".repeat(10_000),
      "1 ".repeat(20_000) + "= 2",
      "2024-".repeat(9000),
      "a ".repeat(10_000) + "not.",
      "2+2=5 ".repeat(5000),
      "\ud800".repeat(3000),
    ];
    const from = cpuTime();
    for (const text of texts) {
      expect(
        verifyResult(text, { earlier: texts.map((other, at) => ({ id: `s${at}`, text: other })) }).issues.length,
      ).toBeLessThan(21);
    }
    expect(cpuTime() - from).toBeLessThan(4000);
  });
});
