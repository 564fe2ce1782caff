import type { CommandSpec, OptionSpec } from "./command-spec.ts";
import { jsonOption as json } from "./json-option.ts";

/** The runners of src/agent, which is not loaded for the help. */
export const runnerChoices: readonly string[] = ["autonomous", "planned", "vault", "project", "crew", "llm"];

const agent: readonly OptionSpec[] = [
  {
    flags: "--runner NAME",
    about: "how the model uses tools; as windlass.yaml says, else autonomous",
    choices: runnerChoices,
  },
  { flags: "--model NAME", about: "one of models: in windlass.yaml; default where absent" },
  { flags: "--max-rounds N", about: "rounds of tool calls before it has to answer", atLeast: 0, whole: true },
];

/** Asks an agent once. */
export const ask: CommandSpec = {
  name: "ask",
  summary: "ask a model that uses the tools, and print its answer",
  details:
    "Shows on stderr what goes on. A call that may do harm is asked about: at a terminal right there, elsewhere the " +
    "command ends with code 3 and the run goes on with `windlass approve`. Without a model, --runner vault answers from " +
    "the notes. What a file or a pipe gives on stdin goes with the question, as text from outside.",
  args: [{ name: "QUESTION", about: "what to ask, - to wait for stdin", several: true }],
  options: [
    ...agent,
    {
      flags: "--image FILE",
      about: "show it this image, where the model takes images",
      several: true,
      completes: "file",
    },
    { flags: "--conversation ID", about: "go on with this conversation, or begin it" },
    { ...json, about: "print the whole result" },
    { flags: "--events", about: "print everything that happens as JSON, one line each" },
  ],
  examples: [
    'windlass ask "What did I write about tide mills last week?"',
    'windlass ask "上周我写了哪些关于机器学习的笔记？" --runner vault',
    'windlass ask "What is in the picture?" --image photo.jpg --json',
    'git diff | windlass ask "What does this change?"',
  ],
  load: async () => (await import("./commands/ask.ts")).askAgent,
};

/** Talks with an agent. */
export const chat: CommandSpec = {
  name: "chat",
  summary: "talk with a model that uses the tools",
  details:
    "Each question sees what was said before. /help lists what else can be typed. Ctrl-C stops the answer and keeps the " +
    "conversation; twice where nothing is typed, it leaves. Without a terminal each line of stdin is a question.",
  options: [...agent, { flags: "--conversation ID", about: "go on with this conversation, or begin it" }],
  examples: ["windlass chat", "windlass chat --runner crew", "windlass chat --conversation trip < questions.txt"],
  load: async () => (await import("./commands/chat.ts")).chatWithAgent,
};
