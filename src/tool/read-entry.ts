import type { FileReport } from "../schema/index.ts";
import { suggestHint } from "../text/index.ts";
import { checkPlaceholders } from "./check-placeholders.ts";
import { brokenEntry, readBuiltinEntry } from "./entry-builtin.ts";
import type { EntryInput, EntryPlan } from "./entry-plan.ts";
import { type EntryKind, entrySchemas } from "./tool-file-schema.ts";
import { readPromptEntry } from "./entry-prompt.ts";
import { toolNeeds } from "./tool-needs.ts";

/** An `entry` whose placeholders are not checked yet. */
export type UncheckedEntry = Omit<EntryInput, "placeholders">;

/** Reads the `entry` of a tool file. An entry whose needs are refused is checked as far as possible without them. */
export async function readEntry(source: UncheckedEntry): Promise<EntryPlan | undefined> {
  const { file, entry, report, world } = source;
  const needs = world.refuses && toolNeeds(file, world.path, world.executors);
  const refusal = needs && world.refuses?.(needs);
  if (refusal === undefined) return readKind(source);
  report.add("not_checked", ["entry"], [refusal.message, { part: "key", severity: "warning" }]);
  const plan = entry["type"] === "custom" ? brokenEntry(refusal) : await readKind(source);
  return plan && { ...plan, broken: refusal, isReported: false };
}

async function readKind(unchecked: UncheckedEntry): Promise<EntryPlan | undefined> {
  const { entry, parameters, report } = unchecked;
  const source: EntryInput = { ...unchecked, placeholders: checkPlaceholders(entry, parameters, report) };
  const kind = entryKind(source);
  if (kind === undefined || !source.report.check(source.entry, entrySchemas[kind], ["entry"])) return undefined;
  // Imported on demand: few programs need processes, network and modules all at once.
  switch (kind) {
    case "builtin":
      return readBuiltinEntry(source);
    case "http":
      return (await import("./entry-http.ts")).readHttpEntry(source);
    case "command":
      return (await import("./entry-command.ts")).readCommandEntry(source);
    case "custom":
      return await (await import("./entry-custom.ts")).readCustomEntry(source);
    case "prompt":
      return readPromptEntry(source);
    default:
      return kind satisfies never;
  }
}

const entryTypes = ["builtin", "http", "command", "custom", "prompt"];

function entryKind({ entry, report }: EntryInput): EntryKind | undefined {
  const { type, command } = entry;
  switch (type) {
    case "builtin":
    case "custom":
    case "http":
    case "prompt":
      return type;
    case "command":
    case "external":
      if (typeof command === "string") {
        reportCommandLine(command, report);
        return undefined;
      }
      return type === "command" ? type : externalKind(entry, report);
    default: {
      const message = type == null ? '"entry" needs the key "type"' : `unknown entry type ${JSON.stringify(type)}`;
      const hint = suggestHint(String(type), entryTypes) ?? `types: ${entryTypes.join(", ")}`;
      report.add("bad_value", type == null ? ["entry"] : ["entry", "type"], [message, { hint }]);
      return undefined;
    }
  }
}

function reportCommandLine(command: string, report: FileReport): void {
  const words = command.trim().split(/\s+/);
  const hint = `write a list, one argument per item: [${words.map((word) => JSON.stringify(word)).join(", ")}]`;
  const message = "a command is a list; there is no shell to split a line";
  report.add("shell_command", ["entry", "command"], [message, { hint }]);
}

/** The older type `external` stands for both. */
function externalKind({ command, url }: EntryInput["entry"], report: FileReport): EntryKind | undefined {
  if ((command == null) !== (url == null)) return command == null ? "http" : "command";
  const message =
    url == null ? 'an external entry needs "url" or "command"' : 'an external entry has "url" or "command", not both';
  report.add("bad_value", ["entry"], [message, { part: "key" }]);
  return undefined;
}
