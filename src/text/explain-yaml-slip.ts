import { shortenWritten } from "./untrusted-text.ts";
import type * as Yaml from "yaml";

/** A syntax error of the YAML library, by line and column, both from 1. */
export interface YamlSyntaxError {
  readonly code: Yaml.ErrorCode;
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** A common slip: its position, and what to type instead. */
export interface YamlSlip {
  readonly line: number;
  readonly column: number;
  readonly length: number;
  readonly message: string;
  readonly hint: string;
}

/**
 * Recognizes the commonest slips behind the first syntax error of a file: the library names the token that it did not
 * expect, which is often another line than the one to correct.
 */
export function explainYamlSlip(text: string, error: YamlSyntaxError): YamlSlip | undefined {
  const lines = text.split("\n").map((line, index) => readLine(line, index));
  // The library reports some errors at the blank line or comment before.
  const at = lines.slice(error.line - 1).find(({ content, dash }) => content !== "" || dash !== undefined);
  if (error.code === "TAB_AS_INDENT" || hasTab(at) || hasTab(at && nextOf(lines, at))) return tab(lines, error.line);
  const unclosed = unclosedQuote(lines, error) ?? wrongBracket(lines, error);
  if (at === undefined) return unclosed;
  if (error.code === "NON_STRING_KEY") return bareTemplate(at);
  return unclosed ?? slipInText(at, error) ?? noSpaceBefore(lines, at, error) ?? indentation(lines, at, error);
}

/** A slip in the text of the line itself. */
function slipInText(at: Line, error: YamlSyntaxError): YamlSlip | undefined {
  return bareExpression(at) ?? reservedStart(at) ?? noSpace(at) ?? quoteInside(at, error) ?? bareColon(at, error);
}

interface Line {
  /** From 0. */
  readonly index: number;
  readonly text: string;
  readonly indent: number;
  /** Columns of the dashes of list items, from 0. */
  readonly dash: number | undefined;
  /** Column of the text after dashes, from 0. */
  readonly start: number;
  /** The text after dashes, without a comment. */
  readonly content: string;
}

function readLine(text: string, index: number): Line {
  const indent = text.length - text.trimStart().length;
  const [dashes = ""] = /^(?:- +)*(?:-(?=\r?$))?/.exec(text.slice(indent)) ?? [];
  const start = indent + dashes.length;
  const content = text
    .slice(start)
    .replace(/(?:^|\s)#.*$/, "")
    .trimEnd();
  return { index, text, indent, dash: dashes === "" ? undefined : indent, start, content };
}

/** `key: value`, with the value; undefined for any other line. */
function pairOf({ content }: Line): { readonly key: string; readonly value: string; readonly at: number } | undefined {
  const found = /^([^\s"'{}[\],:#&*!|>%@`][^"'{}[\],:]*):(?:\s+|$)(.*)$/s.exec(content);
  const [, key, value] = found ?? [];
  return key === undefined || value === undefined ? undefined : { key, value, at: content.length - value.length };
}

function slip(line: Line, range: readonly [start: number, length: number], words: readonly [string, string]): YamlSlip {
  const [start, length] = range;
  const [message, hint] = words;
  return { line: line.index + 1, column: start + 1, length: Math.max(1, length), message, hint };
}

function hasTab(line: Line | undefined): boolean {
  return line !== undefined && line.text.slice(0, line.indent).includes("\t");
}

function tab(lines: readonly Line[], from: number): YamlSlip | undefined {
  const line = lines.slice(from - 1).find(hasTab);
  return line && slip(line, [line.text.indexOf("\t"), 1], ["a tab cannot indent a line", "type spaces instead"]);
}

/** A quote that is not closed in its line, before a line that starts a new key or item. */
function unclosedQuote(lines: readonly Line[], { line, message }: YamlSyntaxError): YamlSlip | undefined {
  if (!message.startsWith("Missing closing")) return undefined;
  for (const each of lines.slice(0, line)) {
    const column = openQuote(each);
    if (column === undefined) continue;
    const next = lines.slice(each.index + 1).find(({ content }) => content !== "");
    if (next !== undefined && next.index < line && next.dash === undefined && pairOf(next) === undefined) continue;
    const quote = each.text[column] ?? '"';
    const rest = each.text.slice(column).trimEnd();
    const words = [`the quote is not closed in this line`, `write ${shortenWritten(closed(rest, quote))}`] as const;
    return slip(each, [column, rest.length], words);
  }
  return undefined;
}

/** `"hi }` -> `"hi" }`: brackets that were opened before the quote belong outside. */
function closed(rest: string, quote: string): string {
  const outside = /[{[]/.test(rest) ? "" : (/\s*[}\]]+$/.exec(rest)?.[0] ?? "");
  return `${rest.slice(0, rest.length - outside.length)}${quote}${outside}`;
}

/** Column of the quote that starts a value and is not closed in its line. */
function openQuote({ text, start }: Line): number | undefined {
  const quotes = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|(?<=^|[\s:{[,-])["']/g;
  for (const { 0: found, index } of text.slice(start).matchAll(quotes)) {
    if (found.length === 1) return start + index;
  }
  return undefined;
}

/** A bracket that is not closed, that closes nothing, or that closes one of the other kind. */
function wrongBracket(lines: readonly Line[], { message, line, column }: YamlSyntaxError): YamlSlip | undefined {
  const end = lines[line - 1];
  const found = end?.text.charAt(column - 1) ?? "";
  if (end !== undefined && /^Unexpected flow-(?:map|seq)-end/.test(message))
    return slip(end, [column - 1, 1], [`this ${found} closes nothing`, "remove it"]);
  if (!/^Flow (?:map|sequence) in block collection/.test(message)) return undefined;
  const open = openBrackets(lines.slice(0, line), column).at(-1);
  if (open === undefined) return undefined;
  const close = open.bracket === "{" ? "}" : "]";
  if (end !== undefined && /[\]}]/.test(found))
    return (
      bareExpression(end) ??
      slip(end, [column - 1, 1], [`the ${open.bracket} is closed with ${found}`, `write ${close}`])
    );
  return bareExpression(open.line) ?? unclosedBracket(lines, { open, close, line });
}

function unclosedBracket(
  lines: readonly Line[],
  { open, close, line }: { readonly open: OpenBracket; readonly close: string; readonly line: number },
): YamlSlip {
  const rest = withoutComment(open.line).slice(open.column);
  const next = nextOf(lines, open.line);
  const isWhole = next === undefined || next.index >= line - 1;
  const hint = isWhole
    ? `write ${shortenWritten(`${rest}${/^\S\s/.test(rest) ? " " : ""}${close}`)}`
    : `write ${close} at its end`;
  return slip(open.line, [open.column, isWhole ? rest.length : 1], [`this ${open.bracket} is not closed`, hint]);
}

interface OpenBracket {
  readonly bracket: string;
  readonly line: Line;
  /** From 0. */
  readonly column: number;
}

/** The brackets that are open in the last of these lines, before a column. */
function openBrackets(lines: readonly Line[], before: number): readonly OpenBracket[] {
  const open: OpenBracket[] = [];
  /** Indentation of the key of a block of text. */
  let block: number | undefined;
  for (const line of lines) {
    if (block !== undefined && (line.content === "" || line.indent > block)) continue;
    const plain = withoutQuoted(withoutComment(line)).slice(0, line === lines.at(-1) ? before - 1 : undefined);
    const isBlock = open.length === 0 && /(?:^|:\s+|-\s+)[|>][+-]?\d?$/.test(plain);
    block = isBlock ? line.indent : undefined;
    readBrackets(line, plain, open);
  }
  return open;
}

function readBrackets(line: Line, plain: string, open: OpenBracket[]): void {
  // Outside of brackets, one that does not start a value is part of a text.
  const start = open.length === 0 ? plain.search(/(?:^\s*|:\s+|-\s+)[[{]/) : 0;
  if (start < 0) return;
  for (const { 0: bracket, index } of plain.matchAll(/[[{\]}]/g)) {
    if (bracket === "]" || bracket === "}") open.pop();
    else if (index >= start) open.push({ bracket, line, column: index });
  }
}

function withoutComment({ text, start, content }: Line): string {
  return text.slice(0, start + content.length);
}

/** Spaces in place of quoted text, so that columns stay. */
function withoutQuoted(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/g, (found) => " ".repeat(found.length));
}

/** `{ message: ${steps.a.output} }`: a brace inside of a flow map. */
function bareExpression(line: Line): YamlSlip | undefined {
  const plain = withoutQuoted(line.text);
  const at = plain.indexOf("${", plain.search(/[{[]/));
  if (at < 1 || !/(?<!\$)\{|\[/.test(plain.slice(0, at))) return undefined;
  const end = line.text.indexOf("}", at);
  const expression = line.text.slice(at, end < 0 ? undefined : end + 1).trimEnd();
  const message = "an expression inside of { } or [ ] needs quotes";
  return slip(line, [at, expression.length], [message, `write "${shortenWritten(expression)}"`]);
}

/** `message: {{input.name}}`: a placeholder of another language, which YAML reads as a map in a map. */
function bareTemplate(line: Line): YamlSlip | undefined {
  const found = /\{\{\s*([\p{L}_][\p{L}\p{N}_.-]*)[^{}]*\}\}/u.exec(withoutQuoted(line.text));
  const [placeholder = "", name = ""] = found ?? [];
  if (found === null) return undefined;
  const reference = name.includes(".") ? name : `input.${name}`;
  const message = "braces without quotes are a map, and {{ }} is not an expression";
  return slip(line, [found.index, placeholder.length], [message, `write "\${${shortenWritten(reference)}}"`]);
}

/** `@ada`, `*.md`: characters with which a text cannot start. */
function reservedStart(line: Line): YamlSlip | undefined {
  const found = /(?:^|: +|[{[,] *)([@`*&%][^,}\]]*)/.exec(withoutQuoted(line.text).slice(line.start));
  const value = found?.[1]?.trim();
  if (found === null || value === undefined) return undefined;
  const at = line.start + found.index + found[0].indexOf(value);
  return slip(line, [at, value.length], reservedWords(value));
}

/** Message and hint for a value that starts with a character of YAML. */
export function reservedWords(value: string): readonly [message: string, hint: string] {
  return [`a value that starts with ${value.slice(0, 1)} needs quotes`, `write "${shortenWritten(value)}"`];
}

/** `tool:echo` */
function noSpace(line: Line): YamlSlip | undefined {
  const [, key, value] = /^([\w.-]+):([^\s:/].*)$/.exec(line.content) ?? [];
  if (key === undefined || value === undefined) return undefined;
  const words = [`a space is missing after "${key}:"`, `write ${shortenWritten(`${key}: ${value}`)}`] as const;
  return slip(line, [line.start, key.length + 1], words);
}

/** The same in the line before: without the space, that line is a text, and the next key is not expected. */
function noSpaceBefore(lines: readonly Line[], at: Line, { code }: YamlSyntaxError): YamlSlip | undefined {
  const before = lines.slice(0, at.index).findLast(({ content }) => content !== "");
  return before !== undefined && indentationErrors.has(code) && before.start === at.start ? noSpace(before) : undefined;
}

/** `'It's me'`: the text ends at the second quote. */
function quoteInside({ index, text, start }: Line, { message, column }: YamlSyntaxError): YamlSlip | undefined {
  const quote = text[column - 2];
  if (!message.startsWith("Unexpected scalar") || (quote !== "'" && quote !== '"')) return undefined;
  const inside = quote === "'" ? "''" : String.raw`\"`;
  const words = ["the text ends at this quote", `write ${inside} for a quote inside of a text`] as const;
  return slip(readLine(text, index), [Math.max(start, column - 2), 1], words);
}

/** `description: Note: says hello` */
function bareColon(line: Line, { code }: YamlSyntaxError): YamlSlip | undefined {
  if (code !== "BLOCK_AS_IMPLICIT_KEY" && code !== "BLOCK_IN_FLOW") return undefined;
  const nested = /[{[,]\s*[\w.-]+:\s+([^\s"',{}[\]][^,}\]]*: [^,}\]]*)/.exec(line.content);
  const value = nested?.[1]?.trimEnd() ?? pairOf(line)?.value;
  if (value === undefined || !/[^\s]:(\s|$)/.test(withoutQuoted(value)) || /^["'{[|>]/.test(value)) return undefined;
  const at = line.text.indexOf(value, line.start);
  const words = [
    'a text that contains ": " needs quotes',
    `write "${shortenWritten(value.replaceAll('"', "'"))}"`,
  ] as const;
  return slip(line, [at, value.length], words);
}

/** A line with too many or too few spaces, or without its dash. */
function indentation(lines: readonly Line[], at: Line, error: YamlSyntaxError): YamlSlip | undefined {
  if (!indentationErrors.has(error.code)) return undefined;
  // A plain text continues on a deeper line: the slip is there.
  const deeper = error.message.startsWith("Nested mappings") ? nextOf(lines, at) : undefined;
  const isDeeper = deeper !== undefined && deeper.indent > at.start && pairOf(at)?.value !== "";
  const line = isDeeper ? deeper : at;
  return missingDash(lines, isDeeper ? at : line) ?? wrongIndent(lines, line);
}

const indentationErrors: ReadonlySet<string> = new Set(
  "BAD_INDENT BLOCK_AS_IMPLICIT_KEY MISSING_CHAR MULTILINE_IMPLICIT_KEY UNEXPECTED_TOKEN".split(" "),
);

function nextOf(lines: readonly Line[], { index }: Line): Line | undefined {
  return lines.slice(index + 1).find(({ content }) => content !== "");
}

/** The lines of the block around a line: up to the key that contains it, and down to the next line at its level. */
function blockOf(lines: readonly Line[], line: Line): readonly Line[] {
  const isOuter = (each: Line): boolean => each.content !== "" && each.indent < line.indent && each.dash === undefined;
  const first = lines.slice(0, line.index).findLastIndex(isOuter);
  const after = lines.slice(line.index + 1).findIndex(isOuter);
  return lines
    .slice(first + 1, after < 0 ? undefined : line.index + 1 + after)
    .filter(({ content, dash }) => content !== "" || dash !== undefined);
}

/** A line at the level of the items of a list that starts with no dash. */
function missingDash(lines: readonly Line[], line: Line): YamlSlip | undefined {
  const block = blockOf(lines, line);
  const [first] = block;
  const lacking =
    line.dash === undefined && block.some(({ dash, index }) => dash === line.indent && index !== line.index)
      ? line
      : line.dash !== undefined && first?.dash === undefined && [line.start, line.indent].includes(first?.indent ?? -1)
        ? first
        : undefined;
  if (lacking === undefined) return undefined;
  const words = [
    'the item of the list does not start with "- "',
    `write - ${shortenWritten(lacking.content)}`,
  ] as const;
  return slip(lacking, [lacking.start, lacking.content.length], words);
}

/** The level of an earlier line that is nearest to the level of this line. */
function wrongIndent(lines: readonly Line[], line: Line): YamlSlip | undefined {
  const odd = oddFirst(lines, line);
  if (odd !== undefined) return indentSlip(odd, odd.indent + line.start - odd.start, "after");
  const levels = lines.slice(0, line.index).flatMap((each) => {
    if (each.content === "" && each.dash === undefined) return [];
    return line.dash === undefined ? [each.start] : each.dash === undefined ? [] : [each.indent];
  });
  const [nearest] = levels.toReversed().toSorted((a, b) => Math.abs(a - line.indent) - Math.abs(b - line.indent));
  if (nearest === undefined || nearest === line.indent) return undefined;
  return indentSlip(line, nearest, "before");
}

function indentSlip(line: Line, level: number, side: "before" | "after"): YamlSlip {
  const many = (count: number): string => `${count} space${count === 1 ? "" : "s"}`;
  const how = level > line.indent ? "too few" : "too many";
  const message = `this line is indented with ${many(line.indent)}, which is ${how}`;
  const hint = `indent it with ${many(level)}, like the lines ${side} it`;
  return slip(line, [line.start, line.content.length], [message, hint]);
}

/**
 * The first line below a key, if it is not indented by two spaces, and this line below the same key is; or it is the
 * first item of a list, and this line continues an item that is.
 */
function oddFirst(lines: readonly Line[], line: Line): Line | undefined {
  const written = lines.slice(0, line.index).filter(({ content, dash }) => content !== "" || dash !== undefined);
  for (const [index, key] of [...written.entries()].toReversed()) {
    const first = written[index + 1];
    if (first === undefined || key.indent >= line.indent || pairOf(key)?.value !== "") continue;
    const level = key.start + (line.dash === first.dash || line.dash !== undefined ? 2 : 4);
    if (line.indent === level && Math.abs(first.start - line.start) === 1) return first;
    if (key.start + 2 <= line.indent) return undefined;
  }
  return undefined;
}
