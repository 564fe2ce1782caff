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

# Environment variables that chains may read.
# env: [HOME, LANG]

# Who may do what: the first rule that matches decides, in the order deny, ask, allow.
# permissions:
#   deny: []
#   ask: ["model:destructive"]
#   allow: ["*"]

# Names of secrets; their values come from the environment or from files that are not committed.
# secrets:
#   API_KEY: env
#   CRM_TOKEN: { file: secrets/crm }

# Private addresses that tools may reach; public ones are open.
# network:
#   allow: ["127.0.0.1:8080"]

# How long records of calls are kept.
retention:
  days: 90
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
};
