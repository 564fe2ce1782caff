/** Settings of `skills:` in `windlass.yaml`. */
export const skillTable = {
  directory: {
    type: "text",
    format: "folder",
    contents: { name: "skills", use: "loaded" },
    default: "skills",
    about: "Folder that skills are loaded from.",
  },
  code: {
    type: "flag",
    defaultText: "not loaded, with a warning per file; false: not loaded, no warning",
    about: "Load code and YAML tools from skill folders; this runs their code.",
  },
  trustAllowedTools: {
    type: "flag",
    needsTrust: true,
    default: false,
    about: "Call the allowed-tools of an active skill without approval; deny rules still apply.",
  },
  catalogueChars: {
    type: "count",
    default: 4_000,
    about: "Maximum characters of the list of skills in the system prompt.",
  },
  instructionChars: {
    type: "count",
    default: 20_000,
    about: "Maximum characters of skill instructions returned at once.",
  },
} as const;
