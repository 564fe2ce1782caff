import type { CommandGroup, CommandSpec } from "../../program/command-spec.ts";
import { agentOptions, events, json } from "../../program/shared-options.ts";

const ask: CommandSpec = {
  name: "ask",
  summary: "send a prompt to an agent and print its answer",
  details:
    "Progress goes to stderr. Destructive calls need approval: at a terminal you are prompted; otherwise the command exits " +
    "with code 3 and `windlass approve` resumes the run. Without a model, --runner vault answers from your notes. Text " +
    "piped to stdin is appended to the prompt and treated as untrusted.",
  args: [{ name: "PROMPT", about: "the prompt; - reads it from stdin", several: true }],
  options: [
    ...agentOptions,
    {
      flags: "--image FILE",
      about: "attach an image, if the model accepts images",
      several: true,
      completes: "file",
    },
    { flags: "--conversation ID", about: "continue this conversation, or start it" },
    { ...json, about: "print the whole result" },
    events,
  ],
  examples: [
    'windlass ask "What did I write about tide mills last week?"',
    'windlass ask "上周我写了哪些关于机器学习的笔记？" --runner vault',
    'windlass ask "What is in the picture?" --image photo.jpg --json',
    'git diff | windlass ask "What does this change?"',
  ],
  load: async () => (await import("../ask/run.ts")).askAgent,
};

const chat: CommandSpec = {
  name: "chat",
  summary: "chat with an agent",
  details:
    "Each prompt sees the conversation history. /help lists the commands. Ctrl-C stops the current answer; pressed twice " +
    "on an empty line, it exits. Without a terminal, each line of stdin is one prompt.",
  options: [...agentOptions, { flags: "--conversation ID", about: "continue this conversation, or start it" }],
  examples: ["windlass chat", "windlass chat --runner crew", "windlass chat --conversation trip < prompts.txt"],
  load: async () => (await import("../chat/run.ts")).chatWithAgent,
};

/** The group "Agents" of the help. */
export const agentsGroup: CommandGroup = { title: "Agents", commands: [ask, chat] };
