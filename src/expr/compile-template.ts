import { evaluator } from "./compile-expression.ts";
import { compiler } from "./compile-node.ts";
import { namePathOf } from "./compile-path.ts";
import { ExpressionError } from "./expression-error.ts";
import { type Code, type Evaluation, EvaluationFrame, checkLength, spendText } from "./evaluation-frame.ts";
import { parseExpression } from "./parse-expression.ts";
import { type Reference, collectReferences } from "./reference.ts";
import type { Scope } from "./scope.ts";
import { SecretHandle, refuseSecrets, secretName } from "./secret-handle.ts";
import type { SyntaxNode } from "./syntax-node.ts";
import { stringifyValue } from "./stringify-value.ts";

/** A compiled text that may contain `${…}`. */
export interface Template {
  readonly text: string;
  /** True if it contains no `${…}`, so that its value is always {@link literal}. */
  readonly constant: boolean;
  /** The value of a constant text: `$${` has become `${`. */
  readonly literal: string | undefined;
  /** True if the text is one `${…}`: its value keeps its type, and may be missing. */
  readonly whole: boolean;
  /** True if its evaluation may throw. */
  readonly mayFail: boolean;
  readonly references: readonly Reference[];
  /** The names of the secrets it passes on. */
  readonly secrets: readonly string[];
  /** The value, as JSON data, or `missing` when whole; throws an `ExpressionError` if evaluation fails. */
  readonly evaluate: (scope: Scope, evaluation?: Evaluation) => unknown;
}

/**
 * Compiles a text that may contain `${…}`. Throws an `ExpressionError`. The line break at the end of a YAML block does
 * not make a single `${…}` a text; with `trims`, no white space around it does.
 *
 * @example
 * ```ts
 * compileTemplate("${input.n}").evaluate({ input: { n: 3 } }); // 3
 * compileTemplate("n is ${input.n}").evaluate({ input: { n: 3 } }); // "n is 3"
 * ```
 */
export function compileTemplate(text: string, { trims = false }: { readonly trims?: boolean } = {}): Template {
  const parts = withoutMargins(readParts(text), trims);
  const [first = ""] = parts;
  if (parts.length <= 1) return typeof first === "string" ? constantTemplate(text, first) : wholeTemplate(text, first);
  const references = parts.flatMap((part) => (typeof part === "string" ? [] : collectReferences(part, text)));
  refuseSecrets(references);
  return {
    text,
    constant: false,
    literal: undefined,
    whole: false,
    mayFail: true,
    references,
    secrets: [],
    evaluate: interpolate(parts, text),
  };
}

function constantTemplate(text: string, literal: string): Template {
  const form = { text, constant: true, literal, whole: false, mayFail: false } as const;
  return { ...form, references: [], secrets: [], evaluate: () => literal };
}

function wholeTemplate(text: string, node: SyntaxNode): Template {
  const references = collectReferences(node, text);
  const form = {
    text,
    constant: false,
    literal: undefined,
    whole: true,
    mayFail: namePathOf(node) === undefined,
    references,
  };
  const secret = secretName(node);
  if (secret !== undefined) {
    const handle = new SecretHandle(secret);
    return { ...form, secrets: [secret], evaluate: () => handle };
  }
  refuseSecrets(references);
  return { ...form, secrets: [], evaluate: evaluator(node, text) };
}

/** The literal texts and the expressions of a template, without empty texts. */
function readParts(text: string): (string | SyntaxNode)[] {
  const parts: (string | SyntaxNode)[] = [];
  let literal = "";
  let from = 0;
  for (let open = text.indexOf("${"); open !== -1; open = text.indexOf("${", from)) {
    if (open > from && text[open - 1] === "$") {
      literal += `${text.slice(from, open - 1)}\${`;
      from = open + 2;
      continue;
    }
    literal += text.slice(from, open);
    if (literal !== "") parts.push(literal);
    literal = "";
    const { node, end } = parseExpression(text, { start: open + 2, inTemplate: true });
    if (text[end] !== "}") throw unclosed(open, end);
    parts.push(node);
    from = end + 1;
  }
  literal += text.slice(from);
  if (literal !== "") parts.push(literal);
  return parts;
}

/** The parts without the white space around a single expression. */
function withoutMargins(parts: readonly (string | SyntaxNode)[], trims: boolean): readonly (string | SyntaxNode)[] {
  const nodes = parts.filter((part) => typeof part !== "string");
  const [last] = parts.slice(-1);
  const isMargin = (part: string | SyntaxNode): boolean => typeof part !== "string" || part.trim() === "";
  const isBlock = parts.length === 2 && typeof last === "string" && last.includes("\n");
  return nodes.length === 1 && (trims || isBlock) && parts.every(isMargin) ? nodes : parts;
}

function unclosed(at: number, end: number): ExpressionError {
  return new ExpressionError("syntax", "the ${ is not closed", {
    at,
    end,
    hint: "add a }, or write $${ for a literal ${",
  });
}

/** Values become text here, and text is never parsed again: a `${…}` inside a value stays text. */
function interpolate(parts: readonly (string | SyntaxNode)[], text: string): Template["evaluate"] {
  const whole = { at: 0, end: text.length };
  const { needing } = compiler(text);
  const codes = parts.map((part): string | Code => {
    if (typeof part === "string") return part;
    const code = needing(part);
    return (frame) => stringifyValue(code(frame), frame, part);
  });
  return (scope, evaluation) => {
    const frame = new EvaluationFrame(scope, evaluation);
    let result = "";
    for (const code of codes) {
      const part = typeof code === "string" ? code : String(code(frame));
      spendText(frame, part.length, whole);
      checkLength(result.length + part.length, whole);
      result += part;
    }
    return result;
  };
}
