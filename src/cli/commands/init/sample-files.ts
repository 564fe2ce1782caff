/** The files of a new workspace by path. All of them work offline and need no installation. */
export const sampleFiles: Readonly<Record<string, string>> = {
  "windlass.yaml": `# yaml-language-server: $schema=.windlass/schema/workspace.json
# Settings of this workspace. Every key is optional; commented-out lines show the default or an example.

engine:
  tools_directory: tools
  # timeout: 30               # seconds; default timeout of a tool
  # max_retries: 3            # after a failure that is safe to retry
  # watch_for_changes: false  # reload changed tools immediately instead of every 5 seconds

# Concurrency and rate limits.
# concurrency:
#   max_concurrent: 10
#   bucket_limits: { http: 5 }   # by category
#   rate_limits: { http: 10/s }

# Defaults of chains.
# chains:
#   durable: true             # persist runs, so that they can be resumed
#   max_parallel: 5           # concurrent steps of one run

# Skills: instructions for a kind of task, loaded on demand.
# skills:
#   directory: skills
#   code: true                # also load tools from the skill folders; this runs their code

# Capabilities group tools by purpose: capability:search calls the tools that can search. A file capabilities/NAME.yaml
# defines the input and output of capability:NAME; its first line, for editors: # yaml-language-server: $schema=../.windlass/schema/capability.json
# capabilities:
#   declare: { my_search: [search], "mcp:brave": [search] }   # capabilities of a tool or server
#   keywords: { invoice: [invoice, 发票] }                     # words that identify it

# Selection among several tools.
# hub:
#   max_parallel: 3           # candidates that run concurrently
#   tool_timeout: 30          # seconds; default timeout of a candidate

# Environment variables that chains may read.
# env: [HOME, LANG]

# Permission rules: the first match decides, in the order deny, ask, allow.
# permissions:
#   deny: []
#   ask: ["model:destructive", "mcp:destructive"]
#   allow: ["*"]

# Approver of calls from clients of \`windlass mcp serve\`: the user of the client, or only the operator.
# mcp:
#   approvals: client         # or operator

# Names of secrets; their values come from the environment or from files that are not committed.
# secrets:
#   API_KEY: env
#   CRM_TOKEN: { file: secrets/crm }

# Private addresses that tools may reach; public addresses are allowed.
# network:
#   allow: ["127.0.0.1:8080"]

# Notes for \`windlass ask --runner vault\` and for agents.
vault: notes

# Models of \`windlass ask\`: any server with an OpenAI-compatible API, also a local one.
# models:
#   default: { base_url: "http://127.0.0.1:11434/v1", model: qwen3 }

# Retention of call records.
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
# A tool without code: a program and its arguments. No shell is involved, so arguments cannot inject commands.
# Try: windlass call greet name=Ada
name: greet
description: Greets someone by name, in English or in Chinese.
category: custom
tags: [sample]
effect: read
parameters:
  - name: name
    type: string
    required: true
    description: Name of the person.
    validation: { min_length: 1, max_length: 80 }
  - name: language
    type: string
    default: en
    description: Language of the greeting.
    validation: { enum: [en, zh] }
entry:
  type: command
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
# A tool that is implemented by a function of this workspace.
# Try: windlass call slugify text="Hello, World!"
name: slugify
description: Converts a title to a short name for URLs and files.
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
    description: Maximum length of the name.
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
  "tools/slugify.ts": `/** Input as defined in slugify.yaml: validated, with defaults applied, before this function runs. */
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
  "tools/word_count.ts": `// A tool defined in code. For types in an editor: npm install --save-dev windlass
// Try: windlass call word_count text="one two three"
import { defineTool } from "windlass";

export const wordCount = defineTool({
  name: "word_count",
  description: "Counts the words and characters of a text.",
  effect: "pure",
  tags: ["sample"],
  input: {
    type: "object",
    properties: { text: { type: "string", description: "The text." } },
    required: ["text"],
  },
  run: ({ text }) => ({
    words: text.split(/\\s+/u).filter((word) => word !== "").length,
    characters: [...text].length,
  }),
});
`,
  "chains/welcome.yaml": `# yaml-language-server: $schema=../.windlass/schema/chain.json
# A chain: steps that depend on each other through references. Independent steps run in parallel.
# Try: windlass run welcome -i name=Ada
name: welcome
description: Greets someone in two languages and creates a page name for the greeting.
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
    description: Runs in parallel with the greetings, because it does not reference them.
    tool: slugify
    params: { text: "\${input.title}, \${input.name}" }

  - id: count
    description: Waits for both greetings, because it references them.
    tool: word_count
    params: { text: "\${steps.english.output} \${steps.chinese.output}" }

output:
  greetings: ["\${steps.english.output}", "\${steps.chinese.output}"]
  page: "\${steps.page.output.slug}"
  words: "\${steps.count.output.words}"
`,
  "skills/release-notes/SKILL.md": `---
# A skill: instructions that an agent reads if a task matches the description, and files that they refer to.
# Try: windlass call skill name=release-notes
name: release-notes
description: >-
  Writes release notes for the users of a product from commits or a list of changes. Use for requests
  for release notes, a changelog entry or an announcement of a version.
---

# Release notes

1. Collect the changes. If the range of versions is not given, request it; do not guess.
2. Leave out changes that users do not notice: renamed variables, new tests, tidied code.
3. Read the [style guide](references/tone.md), with its examples, before you write.
4. Write, in this order and without empty headings:
   - **Before you update**: breaking changes, and how to adapt. This section is always first.
   - **New**: what users can do now that they could not do before.
   - **Better**: what is faster, clearer or easier.
   - **Fixed**: what was broken, and for whom.
5. Reference the issue of a change if the list contains it. Never invent numbers, dates or names.
6. Return the notes as Markdown, followed by the changes that you left out, one line each, for review.
`,
  "skills/release-notes/references/tone.md": `# Style guide

Say what users can do now, not what we did. Short sentences, plain words, no exclamation marks.

| instead of | write |
| --- | --- |
| Implemented a caching layer for the search endpoint | Searching again is instant. |
| Fixed NPE in the CSV export | Exporting an empty table works. |
| We are thrilled to announce dark mode! | There is a dark mode: Settings → Appearance. |
| Various improvements and bug fixes | (say which, or leave it out) |

A line has at most 20 words, and its first three words say what it is about.
`,
};
