import { isRecord, setOwn, type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import type { Elicit, ElicitRequest, ElicitResult } from "../../tool/index.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { promptYesNo, readTerminalLine } from "../terminal/prompt-yes-no.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Options of {@link elicitAtTerminal}. */
export interface ElicitAtTerminalOptions {
  readonly terminal: Terminal;
  /** Clears space for the form; returns a function that resumes the paused view. */
  readonly pause: () => () => void;
}

/**
 * Elicits input for a tool, or for the MCP server behind it, from the person at the terminal: one field at a time, one
 * form at a time, and only after the person has agreed to answer. Never decides on a call: approvals are requested
 * separately.
 */
export function elicitAtTerminal(options: ElicitAtTerminalOptions): Elicit {
  let before: Promise<unknown> = Promise.resolve();
  const elicit: Elicit = (elicitation, signal) => {
    const answer = before.then(() => promptForm(elicitation, signal, options));
    before = answer.catch(() => undefined);
    return answer;
  };
  return Object.assign(elicit, { approves: false });
}

async function promptForm(
  { message, schema }: ElicitRequest,
  signal: AbortSignal,
  { terminal, pause }: ElicitAtTerminalOptions,
): Promise<ElicitResult> {
  if (signal.aborted) return { action: "cancel" };
  const resume = pause();
  try {
    const [first = "", ...rest] = stripUnsafe(message).trim().split("\n");
    terminal.log(`${terminal.tint("yellow", "?")} ${first}`);
    for (const line of rest) terminal.log(`  ${line}`);
    const fields = fieldsOf(schema);
    if (typeof fields === "string") {
      terminal.log(`  Declined: the terminal cannot prompt for ${fields}.`);
      return { action: "decline" };
    }
    const prompt = "  Answer? Your input is sent to the tool. [y/N] ";
    const agreed = await promptYesNo({ terminal, prompt, unclear: "Type y or n." }, signal);
    if (signal.aborted) return { action: "cancel" };
    if (agreed !== true) return { action: "decline" };
    return await promptFields(fields, terminal, signal);
  } finally {
    resume();
  }
}

async function promptFields(fields: readonly Field[], terminal: Terminal, signal: AbortSignal): Promise<ElicitResult> {
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const answer = await promptField(field, terminal, signal);
    if (answer === undefined) return { action: "cancel" };
    if (answer.value !== undefined) setOwn(content, field.name, answer.value);
  }
  return { action: "accept", content };
}

/** The fields of the form, or the name of the first one that cannot be typed at a terminal. */
function fieldsOf(schema: ElicitRequest["schema"]): readonly Field[] | string {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fields: Field[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const field = readField(name, property, required.includes(name));
    if (field === undefined) return toOneLine(name);
    fields.push(field);
  }
  return fields;
}

/** A field of a form that a person fills in by typing. */
interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  readonly kind: "text" | "number" | "boolean" | "list";
  /** Choices with their titles. Default: any value of the kind. */
  readonly choices?: readonly Choice[];
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

/** Maximum number of invalid inputs; after that there is no answer. */
const tries = 3;

const kinds: Readonly<Record<string, Field["kind"]>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "boolean",
  array: "list",
};

/** The field for this schema; undefined if such a value cannot be typed. */
function readField(name: string, schema: unknown, isRequired: boolean): Field | undefined {
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

/** Prompts for one field until the input is valid; undefined if it never is, or if the prompt is aborted. */
async function promptField(
  field: Field,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<{ readonly value: unknown } | undefined> {
  describe(field, terminal);
  for (let attempt = 1; attempt <= tries; attempt++) {
    const typed = (await readTerminalLine(`  ${promptOf(field)}: `, signal)).trim();
    if (signal.aborted) return undefined;
    const value = typed === "" ? field.schema["default"] : valueOf(typed, field);
    const wrong = whatIsWrong(value, field);
    if (wrong === undefined) return { value };
    terminal.log(`  ${toOneLine(wrong)}`);
  }
  terminal.log("  Too many invalid answers; cancelled.");
  return undefined;
}

function describe({ schema, choices = [] }: Field, terminal: Terminal): void {
  const { description } = schema;
  if (typeof description === "string") terminal.log(terminal.tint("dim", `  ${toOneLine(description)}`));
  for (const [at, { title }] of choices.entries()) terminal.log(`    ${at + 1}. ${toOneLine(title)}`);
}

function promptOf({ name, schema, isRequired, kind, choices }: Field): string {
  const { title, default: defaults } = schema;
  const label = toOneLine(typeof title === "string" ? title : name);
  const how = kind === "text" && choices !== undefined ? fieldHints.number : fieldHints[kind];
  const otherwise = isRequired ? "" : ", or Enter";
  const defaultValue = defaults === undefined ? otherwise : `, Enter for ${toOneLine(JSON.stringify(defaults))}`;
  return `${label} (${how}${defaultValue})`;
}

const fieldHints: Readonly<Record<Field["kind"], string>> = {
  text: "text",
  number: "a number",
  boolean: "y or n",
  list: "numbers, separated by commas",
};

/** Parses the input. Returns it unchanged if it cannot be parsed, so that validation reports the error. */
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
  if (value === undefined) return isRequired ? "An answer is required." : undefined;
  try {
    const form = fromJsonSchema({ type: "object", properties: { [name]: schema }, required: [name] });
    return form
      .validate({ [name]: value })
      .issues?.map(({ message }) => message)
      .join("; ");
  } catch {
    // A schema that cannot be compiled is not the user's fault, so any input passes.
    return undefined;
  }
}
