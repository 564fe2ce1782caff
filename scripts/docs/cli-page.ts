import type { ArgumentSpec, CommandSpec, OptionSpec } from "../../src/cli/program/command-spec.ts";
import { commandGroups, dirOption, trustOption } from "../../src/cli/commands/command-table.ts";
import { exitCodeTexts } from "../../src/cli/program/exit-codes.ts";

/** Renders the page of all commands and options, from the command table of the program. */
export function cliPage(): string {
  const groups = commandGroups.map(
    ({ title, commands }) =>
      `## ${title}\n\n${commands
        .filter(({ hidden }) => hidden !== true)
        .flatMap((command) => entries(command, ""))
        .join("\n")}`,
  );
  const codes = exitCodeTexts.map(([code, means]) => `| ${code} | ${means} |`);
  return `<!-- Generated from the table of commands by npm run docs. -->
# Command line

Every command takes \`${dirOption.flags}\`: ${dirOption.about}; and \`${trustOption.flags}\`: ${trustOption.about}.

${groups.join("\n")}
## Exit codes

| code | meaning |
| --- | --- |
${codes.join("\n")}
`;
}

function entries(command: CommandSpec, prefix: string): string[] {
  const name = `${prefix}${command.name}`;
  if (command.commands !== undefined) return command.commands.flatMap((inner) => entries(inner, `${name} `));
  const usage = ["windlass", name, ...(command.args ?? []).map(usageOf)].join(" ");
  const rows = [...(command.args ?? []).filter(({ about }) => about !== ""), ...(command.options ?? [])].map(rowOf);
  const table = rows.length === 0 ? "" : `\n| | |\n| --- | --- |\n${rows.join("\n")}\n`;
  const examples = command.examples === undefined ? "" : `\n\`\`\`sh\n${command.examples.join("\n")}\n\`\`\`\n`;
  const details = command.details === undefined ? "" : ` ${command.details}`;
  return [`### ${usage}\n\n${sentence(command.summary)}${details}\n${table}${examples}`];
}

function usageOf({ name, optional, several }: ArgumentSpec): string {
  const word = several === true ? `${name} …` : name;
  return optional === true ? `[${word}]` : word;
}

function rowOf(item: ArgumentSpec | OptionSpec): string {
  const choices = item.choices === undefined ? "" : ` (${item.choices.join(", ")})`;
  return `| \`${"flags" in item ? item.flags : item.name}\` | ${item.about}${choices} |`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
