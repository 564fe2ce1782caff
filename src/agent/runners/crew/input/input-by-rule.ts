import { orElse } from "../../../../base/index.ts";
import { type JsonSchema, isRecord, propertiesOf } from "../../../../schema/index.ts";
import type { ResultKind } from "../../../../hub/index.ts";
import { salientTerms } from "../../notes/salient-terms.ts";
import { cutText } from "../../../../text/index.ts";

/** Data from which the input of a step is derived. */
export interface InputSource {
  readonly description: string;
  /** Arguments suggested by the planner. */
  readonly providedArgs: Readonly<Record<string, unknown>> | undefined;
  /** Results that the step depends on. */
  readonly results: readonly string[];
}

/** Arguments, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/**
 * Input that a rule can derive from a step for a tool of some kind; undefined if there is no rule, or it finds nothing.
 */
export function inputByRule(kind: ResultKind, schema: JsonSchema, source: InputSource): Arguments | undefined {
  const properties = propertiesOf(schema);
  switch (kind) {
    case "calculate":
      return calculation(properties, source);
    case "search":
      // The search terms depend on earlier results: a rule cannot derive them.
      return source.results.length > 0 ? undefined : search(properties, source);
    case "time":
      return time(properties, source);
    case "history":
      return history(properties, source);
    case "other":
      return undefined;
  }
}

type Properties = Readonly<Record<string, unknown>>;

/** The calculation of a step: from the planner, from its description, or from the results. */
export function expressionOf({ description, providedArgs = {}, results }: InputSource): string | undefined {
  const written = Object.values(providedArgs).find(
    (value) => typeof value === "string" && findExpression(value) !== undefined,
  );
  const own = [...(typeof written === "string" ? [written] : []), description].flatMap(
    (text) => findExpression(text) ?? [],
  );
  const found = results.toReversed().flatMap((text) => findExpression(text) ?? []);
  // `10-12` in a result is more often a range than a calculation.
  return own[0] ?? found.find((expression) => !/^\d+\s*[-/]\s*\d+$/.test(expression));
}

function calculation(properties: Properties, source: InputSource): Arguments | undefined {
  const expression = expressionOf(source);
  const name = parameterFor(properties, ["expression", "expr", "formula", "calculation", "input", "query", "text"]);
  return expression === undefined || name === undefined ? undefined : { [name]: expression };
}

function search(properties: Properties, { description, providedArgs = {} }: InputSource): Arguments | undefined {
  const name = parameterFor(properties, ["query", "q", "keywords", "search", "question", "text", "input"]);
  if (name === undefined) return undefined;
  const value = providedArgs[name];
  const query = typeof value === "string" && value.trim() !== "" ? value : searchWords(description);
  const terms = parameterFor(properties, ["salientTerms", "salient_terms", "terms"], "array");
  return { [name]: query, ...(terms !== undefined && { [terms]: salientTerms(query) }) };
}

function time(properties: Properties, { description }: InputSource): Arguments {
  const name = parameterFor(properties, ["timezone", "timeZone", "time_zone", "zone", "tz"]);
  const zone = findZone(description);
  return name === undefined || zone === undefined ? {} : { [name]: zone };
}

/** Words for kinds of searches in the conversation history, by the values of the parameter. */
const historyKinds: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:first|earliest|oldest)/i, /\b(?:first|earliest|oldest|beginning)\b|第一|最早|最初|开头/i],
  [/^(?:count|number|statistics|stats)/i, /\bhow (?:many|often)\b|\b(?:count|number of)\b|多少|几次|统计/i],
  [/^(?:summary|summar)/i, /\bsummar|\bsum up\b|总结|概括|摘要/i],
  [/^(?:search|find|keyword)/i, /\b(?:search|about|mention)|提到|关于|查找|搜索/i],
  [/^(?:all|full|everything)/i, /\b(?:all|everything|whole|entire)\b|全部|所有|整个/i],
  [
    /^(?:last|latest|recent|previous)/i,
    /\b(?:last|latest|recent|previous|just now|earlier)\b|最近|刚才|上次|上一|之前/i,
  ],
];

/** Number and kind of entries, if the tool has parameters for them. */
function history(properties: Properties, { description }: InputSource): Arguments {
  const found: Record<string, unknown> = {};
  const limit = parameterFor(properties, ["limit", "count", "n", "max", "last"], "integer");
  const many =
    /\b(?:last|latest|recent|previous|first)\s+(\d{1,3})\b|(?:最近|最后|前|上)\s*(\d{1,3})\s*[条次个句轮]/i.exec(
      description,
    );
  if (limit !== undefined && many !== null) found[limit] = Number(many[1] ?? many[2]);
  for (const [name, schema] of Object.entries(properties)) {
    const choices = isRecord(schema) && Array.isArray(schema["enum"]) ? (schema["enum"] as unknown[]) : [];
    const texts = choices.filter((choice) => typeof choice === "string");
    const word = historyKinds.find(([, pattern]) => pattern.test(description))?.[0];
    const choice = word === undefined ? undefined : texts.find((text) => word.test(text));
    if (choice !== undefined) found[name] = choice;
  }
  return found;
}

/** The parameter for a purpose: the first of these names that accepts it. */
function parameterFor(properties: Properties, names: readonly string[], type = "string"): string | undefined {
  return names.find((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return (
      isRecord(schema) &&
      [schema["type"] ?? type].flat().some((one) => one === type || (type === "integer" && one === "number"))
    );
  });
}

/** Words of request before a search subject. */
const searchRequestPrefix =
  /^(?:please\s+)?(?:use \S+ to\s+)?(?:(?:search(?:ing)?|look|google|query|browse)(?:\s+(?:on|in|through))?(?:\s+(?:the|my))?(?:\s+(?:web|internet|notes?|vault|news))?(?:\s+(?:for|up|about))?|find(?:\s+out)?|research|get|collect|gather)\s+(?:(?:some\s+)?(?:information|details|facts|articles|pages|results|notes)\s+)?(?:(?:about|on|for|regarding)\s+)?/i;
const chineseSearchRequestPrefix =
  /^(?:请|先|再)*(?:(?:在|到|从)?(?:网上|网络上?|互联网上?|网页|笔记(?:中|里)?))?(?:搜索|查找|检索|查询|查一?下|搜一?下|寻找|了解|收集|搜集|获取)(?:一下|有关|关于|并?整理)*/;
const chineseEnd = /的?(?:相关)?(?:信息|资料|内容|情况|结果)?[。．.！!？?]*$/;

const maxQueryLength = 400;

/** The search words of a step, in their order, without words of request. */
export function searchWords(description: string): string {
  const text = description.trim().replaceAll(/\s+/g, " ");
  const bare = text
    .replace(searchRequestPrefix, "")
    .replace(chineseSearchRequestPrefix, "")
    .replace(chineseEnd, "")
    .trim();
  return cutText(bare === "" ? text : bare, maxQueryLength, { ending: "" }).text;
}

/** Cities and countries whose time is often requested by name. */
const zones: readonly (readonly [RegExp, string])[] = [
  [/\b(?:utc|gmt)\b|世界时|格林/i, "UTC"],
  [/\b(?:beijing|shanghai|china)\b|北京|上海|中国/i, "Asia/Shanghai"],
  [/\bhong kong\b|香港/i, "Asia/Hong_Kong"],
  [/\btaipei\b|台北/i, "Asia/Taipei"],
  [/\b(?:tokyo|japan)\b|东京|日本/i, "Asia/Tokyo"],
  [/\bseoul\b|首尔|韩国/i, "Asia/Seoul"],
  [/\bsingapore\b|新加坡/i, "Asia/Singapore"],
  [/\b(?:delhi|mumbai|india)\b|印度|孟买|德里/i, "Asia/Kolkata"],
  [/\bdubai\b|迪拜/i, "Asia/Dubai"],
  [/\bmoscow\b|莫斯科/i, "Europe/Moscow"],
  [/\bberlin\b|柏林/i, "Europe/Berlin"],
  [/\bparis\b|巴黎/i, "Europe/Paris"],
  [/\blondon\b|伦敦/i, "Europe/London"],
  [/\bnew york\b|纽约/i, "America/New_York"],
  [/\bchicago\b|芝加哥/i, "America/Chicago"],
  [/\b(?:los angeles|san francisco|california)\b|洛杉矶|旧金山|加州/i, "America/Los_Angeles"],
  [/\bsydney\b|悉尼/i, "Australia/Sydney"],
];

const named = /\b[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?\b/;

/** The time zone that a text names, by its own name or by a city or country. */
export function findZone(text: string): string | undefined {
  const zone = named.exec(text)?.[0];
  return zone !== undefined && isZone(zone) ? zone : zones.find(([pattern]) => pattern.test(text))?.[1];
}

function isZone(name: string): boolean {
  return orElse(() => new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "", false);
}

/** Words for operators. */
const operators: readonly (readonly [RegExp, string])[] = [
  [/(\d)\s*[xX]\s*(?=\d)/g, "$1 * "],
  [/\bplus\b|加上?/gi, "+"],
  [/\bminus\b|减去?/gi, "-"],
  [/\b(?:times|multiplied by)\b|乘以?/gi, "*"],
  [/\bdivided by\b|除以/gi, "/"],
  [/[×·]/g, "*"],
  [/[÷]/g, "/"],
  [/[−–]/g, "-"],
  [/％/g, "%"],
  [/（/g, "("],
  [/）/g, ")"],
  [/(?<=\d),(?=\d{3}(?!\d))/g, ""],
  [/(\d+(?:\.\d+)?)\s*%\s*(?:of|的)\s*(?=\d)/gi, "($1 / 100) * "],
  [/(\d+(?:\.\d+)?)\s*的\s*(\d+(?:\.\d+)?)\s*%/g, "$1 * ($2 / 100)"],
  [/(\d+(?:\.\d+)?)\s*%(?!\s*\d)/g, "($1 / 100)"],
];

const functions = "sqrt|abs|round|floor|ceil|min|max|pow|sin|cos|tan|log|ln|exp";
const run = new RegExp(
  `(?:\\d+(?:\\.\\d+)?|[-+*/^%()]|\\b(?:${functions})\\(|(?<=\\d\\s*),(?=\\s*\\d)|[^\\S\\n])+`,
  "g",
);
/** Two numbers with an operator between them, or a function of one. */
const isCalculation = new RegExp(
  `\\d\\s*\\)*\\s*[-+*/^%]\\s*[-(]*\\s*(?:\\d|(?:${functions})\\()|(?:${functions})\\(\\s*-?\\d`,
);
/** Dates, telephone numbers and the like. */
const isOther = /\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\/\d{1,2}\/\d{2,4}|\d-\d+-\d|\b0\d/;

/** Longer texts are not searched, and no real calculation is longer. */
const maxLength = 4000;

/**
 * The calculation in a text, with standard operators: `12 × 3` and `12 times 3` are `12 * 3`, `15% of 240` is `(15 /
 * 100) * 240`. The longest if there are several; undefined if there is none.
 */
export function findExpression(text: string): string | undefined {
  let plain = text.slice(0, maxLength);
  for (const [pattern, sign] of operators) plain = plain.replaceAll(pattern, sign);
  const found = (plain.match(run) ?? [])
    .map(balanced)
    .filter((candidate) => isCalculation.test(candidate) && !isOther.test(candidate));
  return found.toSorted((a, b) => b.length - a.length)[0];
}

/** Without operators at the ends that belong to the surrounding text, and without unbalanced brackets. */
function balanced(candidate: string): string {
  let text = candidate.trim().replace(/^[*/^%),\s]+|[-+*/^(,\s]+$/g, "");
  // A list marker.
  text = text.replace(/^[-+]\s+/, "");
  let open = 0;
  for (const sign of text) open += sign === "(" ? 1 : sign === ")" ? -1 : 0;
  while (open > 0 && text.startsWith("(")) [text, open] = [text.slice(1).trim(), open - 1];
  while (open < 0 && text.endsWith(")")) [text, open] = [text.slice(0, -1).trim(), open + 1];
  return open === 0 ? text : "";
}
