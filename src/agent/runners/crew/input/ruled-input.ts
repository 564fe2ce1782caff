import { type JsonSchema, isRecord } from "../../../../schema/index.ts";
import type { ResultKind } from "../../../../hub/index.ts";
import { salientTerms } from "../../notes/salient-terms.ts";
import { findExpression } from "./find-expression.ts";
import { findZone } from "./find-zone.ts";
import { searchWords } from "./search-words.ts";

/** What the input of a step is found in. */
export interface InputSource {
  readonly description: string;
  /** What the planner would pass. */
  readonly given: Readonly<Record<string, unknown>> | undefined;
  /** Results that the step builds on. */
  readonly results: readonly string[];
}

/** Arguments, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Whatever a rule can make of a step for a tool of some kind; undefined where there is no rule, or nothing to find. */
export function ruledInput(kind: ResultKind, schema: JsonSchema, source: InputSource): Arguments | undefined {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  switch (kind) {
    case "calculate":
      return calculation(properties, source);
    case "search":
      // What to look for depends on the results: that is no matter for a rule.
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

/** The calculation that a step is about: the planner's, that of its description, or one in the results. */
export function expressionOf({ description, given = {}, results }: InputSource): string | undefined {
  const written = Object.values(given).find(
    (value) => typeof value === "string" && findExpression(value) !== undefined,
  );
  const own = [...(typeof written === "string" ? [written] : []), description].flatMap(
    (text) => findExpression(text) ?? [],
  );
  const found = results.toReversed().flatMap((text) => findExpression(text) ?? []);
  // `10-12` of a result is more often a range than a calculation.
  return own[0] ?? found.find((expression) => !/^\d+\s*[-/]\s*\d+$/.test(expression));
}

function calculation(properties: Properties, source: InputSource): Arguments | undefined {
  const expression = expressionOf(source);
  const name = nameOf(properties, ["expression", "expr", "formula", "calculation", "input", "query", "text"]);
  return expression === undefined || name === undefined ? undefined : { [name]: expression };
}

function search(properties: Properties, { description, given = {} }: InputSource): Arguments | undefined {
  const name = nameOf(properties, ["query", "q", "keywords", "search", "question", "text", "input"]);
  if (name === undefined) return undefined;
  const wanted = given[name];
  const query = typeof wanted === "string" && wanted.trim() !== "" ? wanted : searchWords(description);
  const terms = nameOf(properties, ["salientTerms", "salient_terms", "terms"], "array");
  return { [name]: query, ...(terms !== undefined && { [terms]: salientTerms(query) }) };
}

function time(properties: Properties, { description }: InputSource): Arguments {
  const name = nameOf(properties, ["timezone", "timeZone", "time_zone", "zone", "tz"]);
  const zone = findZone(description);
  return name === undefined || zone === undefined ? {} : { [name]: zone };
}

/** Words for kinds of questions about what was said, by what parameters call them. */
const asked: readonly (readonly [RegExp, RegExp])[] = [
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

/** How many, and which kind, where the tool wants to know. */
function history(properties: Properties, { description }: InputSource): Arguments {
  const found: Record<string, unknown> = {};
  const limit = nameOf(properties, ["limit", "count", "n", "max", "last"], "integer");
  const many =
    /\b(?:last|latest|recent|previous|first)\s+(\d{1,3})\b|(?:最近|最后|前|上)\s*(\d{1,3})\s*[条次个句轮]/i.exec(
      description,
    );
  if (limit !== undefined && many !== null) found[limit] = Number(many[1] ?? many[2]);
  for (const [name, schema] of Object.entries(properties)) {
    const choices = isRecord(schema) && Array.isArray(schema["enum"]) ? (schema["enum"] as unknown[]) : [];
    const texts = choices.filter((choice) => typeof choice === "string");
    const word = asked.find(([, said]) => said.test(description))?.[0];
    const choice = word === undefined ? undefined : texts.find((text) => word.test(text));
    if (choice !== undefined) found[name] = choice;
  }
  return found;
}

/** The parameter that is meant for something: the first of these names that takes it. */
function nameOf(properties: Properties, names: readonly string[], type = "string"): string | undefined {
  return names.find((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return (
      isRecord(schema) &&
      [schema["type"] ?? type].flat().some((one) => one === type || (type === "integer" && one === "number"))
    );
  });
}
