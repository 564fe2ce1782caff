/** The files of a new workspace, by their path in it. Everything works offline and needs nothing installed. */
export const sampleFiles: Readonly<Record<string, string>> = {
  "windlass.yaml": `# yaml-language-server: $schema=.windlass/schema/workspace.json
# Settings of this workspace. Every key is optional; what is commented out shows the default or an example.

engine:
  tools_directory: tools
  # timeout: 30               # seconds a tool may take when it states no timeout
  # max_retries: 3            # further attempts after a failure that is safe to retry
  # watch_for_changes: false  # reload a changed tool at once instead of every 5 seconds

# How much may run at once.
# concurrency:
#   max_concurrent: 10
#   bucket_limits: { http: 5 }   # by category
#   rate_limits: { http: 10/s }

# How chains run.
# chains:
#   durable: true             # keep runs, so that they can be resumed
#   max_parallel: 5           # steps of one run at once

# Skills: instructions for a kind of task, read when somebody uses them.
# skills:
#   directory: skills
#   code: true                # also load tools that lie beside the instructions, which runs their code

# Tools by what they can do: capability:search calls all that search. A file capabilities/NAME.yaml says what callers of
# capability:NAME pass and get; its first line for editors: # yaml-language-server: $schema=../.windlass/schema/capability.json
# capabilities:
#   declare: { my_search: [search], "mcp:brave": [search] }   # what a tool or a server can do
#   keywords: { invoice: [invoice, 发票] }                     # words by which it is known

# How one of several tools is chosen.
# hub:
#   at_once: 3                # that run at the same time
#   tool_timeout: 30          # seconds, of a tool that states none

# Environment variables that chains may read.
# env: [HOME, LANG]

# Who may do what: the first rule that matches decides, in the order deny, ask, allow.
# permissions:
#   deny: []
#   ask: ["model:destructive", "mcp:destructive"]
#   allow: ["*"]

# Who approves what clients of \`windlass mcp serve\` want to call: the person at the client, or only you.
# mcp:
#   approvals: client         # or operator

# Names of secrets; their values come from the environment or from files that are not committed.
# secrets:
#   API_KEY: env
#   CRM_TOKEN: { file: secrets/crm }

# Private addresses that tools may reach; public ones are open.
# network:
#   allow: ["127.0.0.1:8080"]

# Notes that \`windlass ask --runner vault\` answers from, and that agents search.
vault: notes

# Who answers \`windlass ask\`: any server that speaks the OpenAI protocol, also one on this machine.
# models:
#   default: { base_url: "http://127.0.0.1:11434/v1", model: qwen3 }

# How long records of calls are kept.
retention:
  days: 90
`,
  "notes/tide-mills.md": `---
tags: [mills, tides]
---

# Tide mills

A tide mill has a dam with a gate. The flood opens the gate and fills the pond; at high water it shuts by itself, and at
ebb the pond runs out over the wheel. So it grinds twice a day, each day about fifty minutes later.

Still open: how did millers keep the silt out of the pond?
`,
  "notes/tide-mills.zh.md": `# 潮汐磨坊

潮汐磨坊有一道带闸门的水坝。涨潮推开闸门，灌满水塘；满潮时闸门自动关上，退潮时塘里的水流过水轮。因此它每天磨两次，
每天大约晚五十分钟。

还没有弄清楚：磨坊主怎样不让泥沙淤在塘里？
`,
  "tools/greet.yaml": `# yaml-language-server: $schema=../.windlass/schema/tool.json
# A tool without code: a program and its arguments. There is no shell, so no argument can become a command.
# Try: windlass call greet name=Ada
name: greet
description: Greets someone by name, in English or in Chinese.
category: custom
tags: [sample]
effect: pure
parameters:
  - name: name
    type: string
    required: true
    description: Who is greeted.
    validation: { min_length: 1, max_length: 80 }
  - name: language
    type: string
    default: en
    description: The language of the greeting.
    validation: { enum: [en, zh] }
entry:
  type: external
  command:
    - node
    - --print
    - 'process.argv[1] === "zh" ? "你好，" + process.argv[2] + "！" : "Hello, " + process.argv[2] + "!"'
    - --
    - \${input.language}
    - \${input.name}
  timeout: 10s
`,
  "tools/slugify.yaml": `# yaml-language-server: $schema=../.windlass/schema/tool.json
# A tool whose work is done by a function of this workspace.
# Try: windlass call slugify text="Hello, World!"
name: slugify
description: Makes a short name for URLs and files out of a title.
category: custom
tags: [sample]
effect: pure
parameters:
  - name: text
    type: string
    required: true
    description: The title.
    validation: { max_length: 1000 }
  - name: max_length
    type: integer
    default: 60
    description: The longest name to make.
    validation: { min: 1, max: 200 }
entry:
  type: custom
  module: ./slugify.ts
output:
  type: object
  properties:
    slug: string
  required: [slug]
`,
  "tools/slugify.ts": `/** What slugify.yaml lets through: the arguments are checked, and the defaults filled in, before this runs. */
interface Input {
  readonly text: string;
  readonly max_length: number;
}

export function slugify({ text, max_length }: Input): { slug: string } {
  const words = text
    .normalize("NFKD")
    .replace(/\\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\\p{L}\\p{N}]+/u)
    .filter((word) => word !== "");
  const slug = words.join("-").slice(0, max_length).replace(/-+$/, "");
  return { slug };
}
`,
  "tools/word_count.ts": `// A tool that is code alone. For types in an editor: npm install --save-dev windlass
// Try: windlass call word_count text="one two three"
import { defineTool, fromJsonSchema } from "windlass";

export const wordCount = defineTool({
  name: "word_count",
  description: "Counts the words and the characters of a text.",
  effect: "pure",
  tags: ["sample"],
  input: fromJsonSchema<{ text: string }>({
    type: "object",
    properties: { text: { type: "string", description: "The text." } },
    required: ["text"],
  }),
  run: ({ text }) => ({
    words: text.split(/\\s+/u).filter((word) => word !== "").length,
    characters: [...text].length,
  }),
});
`,
  "chains/welcome.yaml": `# yaml-language-server: $schema=../.windlass/schema/chain.json
# A chain: steps that are wired by what they read of each other. Those that read nothing of each other run side by side.
# Try: windlass run welcome -i name=Ada
name: welcome
description: Greets someone in two languages, and prepares a page for the greeting.
input:
  name: string
  title: string="Welcome aboard"
steps:
  - id: english
    tool: greet
    params: { name: "\${input.name}" }

  - id: chinese
    tool: greet
    params: { name: "\${input.name}", language: zh }

  - id: page
    description: Runs beside the greetings; it reads nothing of theirs.
    tool: slugify
    params: { text: "\${input.title}, \${input.name}" }

  - id: count
    description: Waits for both greetings, because it reads them.
    tool: word_count
    params: { text: "\${steps.english.output} \${steps.chinese.output}" }

output:
  greetings: ["\${steps.english.output}", "\${steps.chinese.output}"]
  page: "\${steps.page.output.slug}"
  words: "\${steps.count.output.words}"
`,
  "skills/release-notes/SKILL.md": `---
# A skill: instructions that an agent reads when a task fits the description, and files that they point to.
# Try: windlass call skill name=release-notes
name: release-notes
description: >-
  Writes release notes for the people who use a product, out of commits or a list of changes. Use when somebody asks
  for release notes, a changelog entry or an announcement of a version.
---

# Release notes

1. Collect the changes. Where nobody said from which version to which, ask; do not guess.
2. Leave out what users do not notice: renamed variables, new tests, tidied code.
3. Read [how we sound](references/tone.md), with its examples, before you write a line.
4. Write, in this order and without empty headings:
   - **Before you update**: what stops working, and what to do about it. Nothing goes before it.
   - **New**: what people can do now that they could not do before.
   - **Better**: what is faster, clearer or easier.
   - **Fixed**: what went wrong, and for whom.
5. Name the issue behind a change where the list names it. Never make up a number, a date or a name.
6. Give the notes as Markdown, and below them the changes that you left out, a line each, for whoever checks them.
`,
  "skills/release-notes/references/tone.md": `# How we sound

Say what people can do now, not what we did. Short sentences, plain words, no exclamation marks.

| instead of | write |
| --- | --- |
| Implemented a caching layer for the search endpoint | Searching again is instant. |
| Fixed NPE in the CSV export | Exporting an empty table works. |
| We are thrilled to announce dark mode! | There is a dark mode: Settings → Appearance. |
| Various improvements and bug fixes | (say which, or leave it out) |

A line has at most 20 words. Whoever reads only the first three words of each line knows what it is about.
`,
};
