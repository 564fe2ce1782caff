import type { CommandSpec } from "./command-spec.ts";
import { jsonOption as json } from "./json-option.ts";

/** `windlass skills` and what is beneath it. */
export const skills: CommandSpec = {
  name: "skills",
  summary: "list the skills of the workspace, and check them",
  commands: [
    {
      name: "list",
      summary: "list the skills (also: windlass skills)",
      // Words that are no command end up here and are answered with a suggestion.
      args: [{ name: "WORD", about: "", optional: true, several: true }],
      options: [json],
      examples: ["windlass skills", "windlass skills --json"],
      load: async () => (await import("./commands/skills.ts")).listSkills,
    },
    {
      name: "validate",
      summary: "check skills against the format, for whoever writes them",
      details:
        "What the format demands is an error, what it advises a warning. Loading is more lenient: a skill that can be " +
        "used is used, with warnings.",
      args: [
        {
          name: "DIR",
          about: "a skill, or a folder of skills; those of the workspace where absent",
          optional: true,
          several: true,
          completes: "folder",
        },
      ],
      options: [json],
      examples: ["windlass skills validate", "windlass skills validate skills/weekly-report --json"],
      load: async () => (await import("./commands/skills.ts")).checkSkills,
    },
  ],
};
