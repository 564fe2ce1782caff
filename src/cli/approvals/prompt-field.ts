import { type JsonSchema, fromJsonSchema, isRecord } from "../schema/index.ts";
import { oneLine } from "./format-table.ts";
import { readAnswer } from "./read-answer.ts";
import type { Terminal } from "./terminal.ts";

/** A field of a form that a person fills in by typing. */
export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  readonly kind: "text" | "number" | "boolean" | "list";
  /** What can be chosen from, and how it is called; anything where absent. */
  readonly choices?: readonly Choice[];
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

/** What was typed does not fit so many times: then there is no answer. */
const tries = 3;

const kinds: Readonly<Record<string, Field["kind"]>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "boolean",
  array: "list",
};

/** The field of this schema; undefined where it is none that can be typed. */
export function readField(name: string, schema: unknown, isRequired: boolean): Field | undefined {
  if (!isRecord(schema)) return undefined;
  const kind = kinds[String(schema["type"])];
  const choices = choicesOf(kind === "list" && isRecord(schema["items"]) ? schema["items"] : schema);
  if (kind === undefined || (kind === "list" && choices === undefined)) return undefined;
  return { name, schema, isRequired, kind, ...(choices !== undefined && { choices }) };
}

function choicesOf({ enum: values, enumNames, oneOf, anyOf }: JsonSchema): readonly Choice[] | undefined {
  const titled: unknown = oneOf ?? anyOf;
  if (Array.isArray(titled)) {
    return titled.flatMap((each) =>
      isRecord(each) ? [{ value: String(each["const"]), title: String(each["title"] ?? each["const"]) }] : [],
    );
  }
  if (!Array.isArray(values)) return undefined;
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  return values.map((value, at) => ({ value: String(value), title: String(names[at] ?? value) }));
}

/** Asks for one field until what is typed fits; undefined where it never does, or nobody is there any more. */
export async function askField(
  field: Field,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<{ readonly value: unknown } | undefined> {
  describe(field, terminal);
  for (let attempt = 1; attempt <= tries; attempt++) {
    const typed = (await readAnswer(`  ${promptOf(field)}: `, signal)).trim();
    if (signal.aborted) return undefined;
    const value = typed === "" ? field.schema["default"] : valueOf(typed, field);
    const wrong = whatIsWrong(value, field);
    if (wrong === undefined) return { value };
    terminal.tell(`  ${oneLine(wrong)}`);
  }
  terminal.tell("  Given up.");
  return undefined;
}

function describe({ schema, choices = [] }: Field, terminal: Terminal): void {
  const { description } = schema;
  if (typeof description === "string") terminal.tell(terminal.tint("dim", `  ${oneLine(description)}`));
  for (const [at, { title }] of choices.entries()) terminal.tell(`    ${at + 1}. ${oneLine(title)}`);
}

function promptOf({ name, schema, isRequired, kind, choices }: Field): string {
  const { title, default: usual } = schema;
  const label = oneLine(typeof title === "string" ? title : name);
  const how = kind === "text" && choices !== undefined ? wanted.number : wanted[kind];
  const otherwise = isRequired ? "" : ", or Enter";
  const usually = usual === undefined ? otherwise : `, Enter for ${oneLine(JSON.stringify(usual))}`;
  return `${label} (${how}${usually})`;
}

const wanted: Readonly<Record<Field["kind"], string>> = {
  text: "text",
  number: "a number",
  boolean: "y or n",
  list: "numbers, with commas",
};

/** What was typed as a value; where it is none, as it is: then it is said what is wrong with it. */
function valueOf(typed: string, { kind, choices = [] }: Field): unknown {
  const chosen = (text: string): string => {
    const byNumber = /^\d+$/.test(text) ? choices[Number(text) - 1] : undefined;
    const named = choices.find(({ value, title }) => value === text || title === text);
    return (named ?? byNumber)?.value ?? text;
  };
  switch (kind) {
    case "text":
      return chosen(typed);
    case "list":
      return typed.split(",").map((each) => chosen(each.trim()));
    case "number":
      return Number.isFinite(Number(typed)) ? Number(typed) : typed;
    case "boolean":
      return /^(?:y|yes|true)$/i.test(typed) || (/^(?:n|no|false)$/i.test(typed) ? false : typed);
  }
}

function whatIsWrong(value: unknown, { name, schema, isRequired }: Field): string | undefined {
  if (value === undefined) return isRequired ? "It has to be answered." : undefined;
  try {
    const form = fromJsonSchema({ type: "object", properties: { [name]: schema }, required: [name] });
    return form
      .validate({ [name]: value })
      .issues?.map(({ message }) => message)
      .join("; ");
  } catch {
    // A schema that cannot be used is no fault of whoever answers.
    return undefined;
  }
}
