import { array, assert, property, record, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { refineQuery } from "./web-search-tool.ts";
import { cpuTime } from "../../../test/support/cpu-time.ts";

const user = (content: string): { role: string; content: string } => ({ role: "user", content });
const model = (content: string): { role: string; content: string } => ({ role: "assistant", content });

describe("a pronoun is replaced by the topic of the conversation", () => {
  test.each([
    ["who built it", [user("Tell me about the Eiffel Tower")], "who built Eiffel Tower"],
    ["what is its capital", [user("Where is France?"), model("In Europe.")], "what is France capital"],
    ["how much do they cost", [user("explain solar panels please")], "how much do solar panels cost"],
    ["when was she born", [user("Who was Ada Lovelace?"), model("A mathematician.")], "when was Ada Lovelace born"],
    ["它有多高", [user("介绍一下埃菲尔铁塔")], "埃菲尔铁塔有多高"],
    ["它的作者是谁", [user("红楼梦是什么？"), model("一部小说。")], "红楼梦的作者是谁"],
    ["more about this", [user("Search for tide tables")], "more about tide tables"],
  ])("%s", (query, history, expected) => {
    expect(refineQuery(query, history)).toBe(expected);
  });

  test("the last topic counts, not the first", () => {
    const history = [user("Tell me about Berlin"), model("Berlin is a city."), user("And Hamburg?"), model("A port.")];
    expect(refineQuery("how large is it", history)).toBe("how large is Hamburg");
  });
});

describe("a Chinese history is understood", () => {
  test.each([
    [
      "它什么时候建成的",
      [user("请问埃菲尔铁塔在哪里？"), model("埃菲尔铁塔位于法国巴黎。")],
      "埃菲尔铁塔什么时候建成的",
    ],
    ["它的价格是多少", [user("特斯拉Model 3怎么样"), model("它是一款电动轿车。")], "特斯拉Model 3的价格是多少"],
    ["那里的天气怎么样", [user("我想去杭州旅游")], "杭州的天气怎么样"],
    ["那个地方好玩吗", [user("下周我们要去九寨沟")], "九寨沟好玩吗"],
    ["这家公司的创始人是谁", [user("帮我查一下字节跳动的最新新闻，谢谢")], "字节跳动的创始人是谁"],
    ["该公司的市值", [user("苹果公司今年的营收如何")], "苹果公司的市值"],
    ["其历史", [user("讲讲长城")], "长城的历史"],
    ["这个怎么安装", [user("我最近在学习 PostgreSQL 数据库")], "PostgreSQL 数据库怎么安装"],
    ["这本书的作者是谁", [user("我在看《三体》")], "三体的作者是谁"],
    ["它好用吗", [user("我刚买了一台小米扫地机器人")], "小米扫地机器人好用吗"],
    ["她的代表作有哪些", [user("张爱玲是谁"), model("张爱玲是中国现代作家。")], "张爱玲的代表作有哪些"],
    ["它支持哪些平台", [user("你好"), model("你好！有什么可以帮你的吗？"), user("介绍一下Rust吧")], "Rust支持哪些平台"],
  ])("%s", (query, history, expected) => {
    expect(refineQuery(query, history)).toBe(expected);
  });
});

describe("small talk is not a topic", () => {
  test.each([
    ["how old is it", [user("Can you please tell me about the Great Wall? Thanks!")], "how old is Great Wall"],
    [
      "who invented it",
      [
        user("what is the telephone"),
        model("Sure! Here is the answer: the telephone is a device. Let me know if you have other questions."),
        user("thanks, great answer"),
      ],
      "who invented telephone",
    ],
    [
      "how do I install it",
      [
        user("please recommend a good database for my project"),
        model("I would recommend PostgreSQL. It is a great choice."),
        user("ok thanks, sounds good"),
      ],
      "how do I install PostgreSQL",
    ],
    ["what are its side effects", [user("my doctor gave me metformin yesterday")], "what are metformin side effects"],
    [
      "more about them",
      [user("Thanks for the answer. Please show me results about heat pumps")],
      "more about heat pumps",
    ],
    ["它有多长", [user("长江是中国最长的河流吗？"), model("是的。"), user("好的，谢谢你的回答")], "长江有多长"],
    ["他们的首都在哪", [user("法国的人口是多少？"), model("约为6800万。"), user("谢谢！")], "法国的首都在哪"],
    ["它什么时候发布的", [user("麻烦你告诉我 iPhone 17 的信息，非常感谢")], "iPhone 17什么时候发布的"],
  ])("%s", (query, history, expected) => {
    expect(refineQuery(query, history)).toBe(expected);
  });

  test.each([
    ["who built it", [user("Hello, how are you today?"), model("Great, thanks! How can I help you?"), user("ok")]],
    ["它有多高", [user("你好"), model("您好，请问有什么可以帮您？"), user("好的，非常感谢你的回答")]],
  ])("%s stays as it is after nothing else", (query, history) => {
    expect(refineQuery(query, history)).toBe(query);
  });
});

test.each([
  ["when did he die", [user("Could you tell me who wrote Hamlet?"), model("The answer is William Shakespeare.")]],
  ["他是哪年去世的", [user("谁写了哈姆雷特？"), model("哈姆雷特的作者是 William Shakespeare。")]],
])("a personal pronoun refers to the person that a prompt is about, not to its topic: %s", (query, history) => {
  expect(refineQuery(query, history)).toContain("William Shakespeare");
});

describe("a query stays as it is", () => {
  test.each([
    ["population of France", [user("Tell me about Germany")]],
    ["IT jobs", [user("Tell me about Germany")]],
    ["does it rain in Berlin", [user("Tell me about Germany")]],
    ['"it" the novel', [user("Tell me about Germany")]],
    ["proof that pi is irrational", [user("Tell me about Germany")]],
    ["其他城市", [user("介绍一下柏林")]],
    ["吉他入门", [user("介绍一下柏林")]],
    ["其中的原因", [user("介绍一下柏林")]],
    ["这个月的新闻", [user("介绍一下柏林")]],
    ["那个时候的物价", [user("介绍一下柏林")]],
    ["尤其重要的城市", [user("介绍一下柏林")]],
    ["who built it", []],
    ["who built it", [user("and the of"), user("???")]],
  ])("%s", (query, history) => {
    expect(refineQuery(query, history)).toBe(query);
  });
});

test("any history gives a query, in little time", () => {
  const turn = record({ role: string(), content: string({ unit: "grapheme", maxLength: 300 }) });
  assert(
    property(string({ maxLength: 100 }), array(turn, { maxLength: 8 }), (query, history) => {
      expect(typeof refineQuery(`${query} it`, history)).toBe("string");
    }),
  );
  const started = cpuTime();
  refineQuery(
    "who built it",
    Array.from({ length: 200 }, () => user("Tower ".repeat(100_000))),
  );
  expect(cpuTime() - started).toBeLessThan(500);
});
