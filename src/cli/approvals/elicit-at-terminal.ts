import { isRecord, setOwn } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import type { Elicit, ElicitRequest, ElicitResult } from "../../tool/index.ts";
import { type Field, promptField, readField } from "./prompt-field.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { promptYesNo } from "../terminal/prompt-yes-no.ts";
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
