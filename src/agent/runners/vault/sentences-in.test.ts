import { describe, expect, test } from "vitest";
import { sentencesIn } from "./quote-sentences.ts";

const message = (text: string): readonly string[] =>
  sentencesIn({ text, firstLine: 1, fence: undefined }).map((sentence) => sentence.text);

describe("sentences", () => {
  test.each<readonly [text: string, sentences: readonly string[]]>([
    [
      "数据库每天凌晨三点备份，备份保存在北京机房，\n保留三十天。",
      ["数据库每天凌晨三点备份，备份保存在北京机房，保留三十天。"],
    ],
    ["床前明月光，\n疑是地上霜。", ["床前明月光，疑是地上霜。"]],
    ["买了苹果、\n梨；\n还有书。", ["买了苹果、梨；还有书。"]],
    ["他说, \n明天来。", ["他说, 明天来。"]],
    [
      "我们决定把新的服务器放在上海的\n机房里面，由王伟管理。",
      ["我们决定把新的服务器放在上海的机房里面，由王伟管理。"],
    ],
    ["他说\n，明天来。", ["他说，明天来。"]],
    [
      "这是一份很长很长很长很长的说明文档，使用\nPython 编写。",
      ["这是一份很长很长很长很长的说明文档，使用 Python 编写。"],
    ],
    [
      "나는 어제 친구들과 함께 새로 생긴 학교 도서관에 아침 일찍\n갔다.",
      ["나는 어제 친구들과 함께 새로 생긴 학교 도서관에 아침 일찍 갔다."],
    ],
  ])("continue in the next line, word for word: %j", (text, sentences) => expect(message(text)).toEqual(sentences));

  test.each([
    ["早上开会\n下午写代码"],
    ["王伟：管理员\n李娜：网络"],
    ["备份完成。\n保留三十天。"],
    ["Dear Bob,\nHello."],
  ])("end with the line: %j", (text) => expect(message(text)).toEqual(text.split("\n")));

  test("each list item is a sentence, also after a comma, and a label belongs to the text that follows it", () => {
    expect(message("- 苹果，\n- 梨，")).toEqual(["苹果，", "梨，"]);
    expect(message("Ingredients:\n1. Two eggs\n2. Flour\n\nMix.")).toEqual(["Ingredients: Two eggs", "Flour", "Mix."]);
    expect(message("配料：\n- 鸡蛋\n- 面粉")).toEqual(["配料：鸡蛋", "面粉"]);
    expect(message("Steps:\n\n- One\n\nThe end:")).toEqual(["Steps: One", "The end:"]);
    expect(message("Steps:\n\n## Other\n\nText.")).toEqual(["Steps:", "Text."]);
    expect(message("Run this:\n\n```\ncode\n```\n\nDone.")).toEqual(["Run this:", "Done."]);
  });

  test("rows of a table count, images do not", () => {
    expect(message("| item | price |\n| --- | --- |\n| printer | 300 € |")).toEqual([
      "item | price",
      "printer | 300 €",
    ]);
    expect(message("![npm start: a tour](docs/tour.svg)\n\nText ![x](y.png) here.")).toEqual(["Text here."]);
    expect(message("[![build](b.svg)](https://ci)\n![[photo.png]]\n\nText.")).toEqual(["Text."]);
    expect(message(`![${"[".repeat(5000)}\n\n${"![a](".repeat(5000)}`)).toHaveLength(2);
  });
});
