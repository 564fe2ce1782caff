import { isRecord, put } from "../schema/index.ts";
import { stripUnsafe } from "../text/index.ts";
import type { Elicit, Question, QuestionAnswer } from "../tool/index.ts";
import { type Field, askField, readField } from "./ask-field.ts";
import { oneLine } from "./format-table.ts";
import { readAnswer } from "./read-answer.ts";
import type { Terminal } from "./terminal.ts";
import { yesOrNo } from "./yes-or-no.ts";

/** What {@link askQuestion} needs. */
export interface AskQuestionOptions {
  readonly terminal: Terminal;
  /** Makes room for the question; returns what goes on with the view behind it. */
  readonly pause: () => () => void;
}

/**
 * Asks the person at the terminal what a tool, or the MCP server behind it, wants to know: field by field, one question
 * at a time, and only after they agreed to answer at all. It decides about no call: approvals have a way of their own.
 */
export function askQuestion(options: AskQuestionOptions): Elicit {
  let before: Promise<unknown> = Promise.resolve();
  const elicit: Elicit = (question, signal) => {
    const answer = before.then(() => askOne(question, signal, options));
    before = answer.catch(() => undefined);
    return answer;
  };
  return Object.assign(elicit, { approves: false });
}

async function askOne(
  { message, schema }: Question,
  signal: AbortSignal,
  { terminal, pause }: AskQuestionOptions,
): Promise<QuestionAnswer> {
  if (signal.aborted) return { action: "cancel" };
  const resume = pause();
  try {
    const [first = "", ...rest] = stripUnsafe(message).trim().split("\n");
    terminal.tell(`${terminal.tint("yellow", "?")} ${first}`);
    for (const line of rest) terminal.tell(`  ${line}`);
    const fields = fieldsOf(schema);
    if (typeof fields === "string") {
      terminal.tell(`  Declined: ${fields} cannot be asked for here.`);
      return { action: "decline" };
    }
    const agreed = await readAnswer("  Answer it? What you type is handed over. [y/N] ", signal);
    if (signal.aborted) return { action: "cancel" };
    if (yesOrNo(agreed) !== true) return { action: "decline" };
    return await askFields(fields, terminal, signal);
  } finally {
    resume();
  }
}

async function askFields(fields: readonly Field[], terminal: Terminal, signal: AbortSignal): Promise<QuestionAnswer> {
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const answer = await askField(field, terminal, signal);
    if (answer === undefined) return { action: "cancel" };
    if (answer.value !== undefined) put(content, field.name, answer.value);
  }
  return { action: "accept", content };
}

/** The fields of a question, or the name of one that is none. */
function fieldsOf(schema: Question["schema"]): readonly Field[] | string {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fields: Field[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const field = readField(name, property, required.includes(name));
    if (field === undefined) return oneLine(name);
    fields.push(field);
  }
  return fields;
}
