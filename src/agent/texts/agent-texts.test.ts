import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Examples, textProblems } from "../../../test/support/text-problems.ts";
import type { AgentEvent } from "../events/agent-event.ts";
import type { AgentNotice, AgentNoticeParams } from "../events/agent-notice.ts";
import { foldReasoning } from "../reasoning/fold-reasoning.ts";
import { emptyReasoningBlock } from "../reasoning/reasoning-block.ts";
import { agentNoticeText, agentTexts } from "./agent-texts.ts";

const message = "the service answered 500";
const examples: Examples<AgentNoticeParams> = {
  custom_notice: [{ text: "the check says: no" }],
  answer_cut_off: [{}],
  answer_filtered: [{}],
  answer_has_call: [{}],
  model_replaced: [{ model: "model-fast", replacement: "model-large", message }],
  images_removed: [{}],
  results_cleared: [{}],
  history_summarized: [{}],
  tools_not_allowed: [{}],
  rounds_used_up: [{ rounds: 1 }, { rounds: 12 }],
  no_progress: [{}],
  budget_nearly_used_up: [{}],
  results_within_budget: [
    { results: [{ tool: "web_search", summary: "4 results" }] },
    { results: [], text: "It may be the moon." },
  ],
  other_prompts_answered: [{ count: 1 }, { count: 3 }],
  option_unusable: [
    { option: "instructions", expects: "text" },
    { option: "files", expects: "texts" },
    { option: "limit", expects: "count" },
    { option: "budget", expects: "tokens" },
    { option: "commands", expects: "commands" },
    { option: "mode", expects: ["autonomous", "planned"] },
  ],
  custom_command_unusable: [
    { command: "@the tides", reason: "name" },
    { command: "@the_tides", reason: "tool" },
    { command: "@the_tides", reason: "params" },
  ],
  custom_commands_limited: [{ max: 100, omitted: 7 }],
  command_unknown: [{ command: "websaerch", suggestion: "websearch" }],
  command_not_executed: [
    { command: "websearch", reason: "no_tool", tool: "web_search" },
    { command: "websearch", reason: "no_content" },
    { command: "websearch", reason: "no_query" },
  ],
  commands_limited: [{ max: 20, omitted: 3 }],
  commands_ignored: [
    { commands: ["websearch", "the_vault"], reason: "other_runner" },
    { commands: ["websearch"], reason: "pasted" },
    { commands: ["websearch"], reason: "not_leading" },
    { commands: ["websearch"], reason: "untrusted_prompt" },
  ],
  loop_failed: [{ message }],
  plan_succeeded: [{}],
  plan_failed: [{ message }],
  plan_as_text: [{}],
  plan_unusable: [
    { issues: ["calls[0] names no tool"], instead: "no_tools" },
    { issues: ["it holds no JSON object"], instead: "one_step" },
  ],
  gathered_results_cut: [{}],
  plan_shortened: [{ steps: 9, max: 3 }],
  dependency_dropped: [
    { step: "the step-1", dependency: "the step-1", reason: "itself" },
    { step: "the step-1", dependency: "the step-9", reason: "unknown" },
    { step: "the step-1", dependency: "the step-2", reason: "cycle" },
  ],
  plan_made: [
    {
      steps: [
        { id: "step-1", description: "Find the tides", tool: "web_search", dependencies: [] },
        { id: "step-2", description: "Add them up", tool: "calculator", dependencies: ["the step-1"] },
      ],
    },
    { steps: [{ id: "step-1", description: "Find the tides", tool: "web_search", dependencies: [] }] },
  ],
  step_cut_off: [{ step: "the step-1" }],
  step_tool_replaced: [
    { step: "the step-1", tool: "web_search", replacement: "other_search", message },
    { step: "the step-1", tool: "web_search" },
  ],
  result_unverified: [{ step: "the step-1", issues: ["6 times 7 is not 43"] }, { issues: ["6 times 7 is not 43"] }],
  answer_not_written: [{ message }],
  model_without_answer: [
    { message, quotesNotes: true },
    { message, quotesNotes: false },
  ],
  time_without_notes: [{ time: "the last week" }],
  time_not_understood: [{ time: "the last week" }],
  citations_missing: [{}],
  citations_unknown: [{ citations: ["[9]", "[12]"] }],
  project_not_listed: [{ message }],
  project_limited: [{ max: 2000 }],
  pattern_unusable: [{ pattern: "../**/*.md" }],
  files_cut: [
    { files: ["notes/long.md", "notes/longer.md"], more: 0 },
    { files: ["notes/long.md"], more: 8 },
  ],
  files_omitted: [
    { files: ["notes/long.md"], more: 0, reason: "too_many" },
    { files: ["notes/long.md"], more: 0, reason: "budget" },
    { files: ["notes/long.md"], more: 0, reason: "not_text" },
    { files: ["notes/long.md"], more: 8, reason: { message } },
  ],
};

describe("[F19] notices of agents", () => {
  test("each code has a text in each language, with the same parameters", () => {
    const texts = { en: agentTexts.en.notices, zh: agentTexts.zh.notices };
    expect(textProblems(texts, examples, ["custom_notice"])).toEqual([]);
  });

  test("no notice is emitted outside the table", () => {
    const src = new URL("../../", import.meta.url).pathname;
    const emitting = globSync("**/*.ts", { cwd: src })
      .filter((file) => !file.includes(".test."))
      .flatMap((file) => {
        const uses = readFileSync(`${src}${file}`, "utf8").match(/type: "notice"|code: "custom_notice"/g) ?? [];
        return uses.map((use) => `${file}: ${use}`);
      });
    expect(emitting.toSorted()).toEqual([
      'agent/custom-runner.ts: code: "custom_notice"',
      'agent/events/agent-event.ts: type: "notice"',
      'agent/run/agent-run.ts: type: "notice"',
    ]);
  });

  test("quoted texts stay unchanged", () => {
    const notice: AgentNotice = {
      code: "model_replaced",
      params: { model: "fast", replacement: "large", message: "it answered 500 ($1)" },
    };
    expect(agentNoticeText(notice)).toBe("fast gave no answer, and large was used instead: it answered 500 ($1)");
    expect(agentNoticeText(notice, "zh")).toBe("fast 没有回答，改用 large：it answered 500 ($1)");
    expect(agentNoticeText({ code: "time_not_understood", params: { time: "刚才" } }, "zh")).toBe(
      "看不懂时间“刚才”，已搜索全部笔记",
    );
  });

  test("the block of a Chinese prompt has its notices in Chinese, independently of their English text", () => {
    const block = { ...emptyReasoningBlock, runId: "r", language: "zh" } as const;
    const notice = { type: "notice", at: 1, runId: "r", code: "citations_missing", params: {} } as const;
    expect(foldReasoning(block, { ...notice, text: "no note, is cited" }).steps[0]?.text).toBe("回答没有引用任何笔记");
  });

  test("a recorded notice of an earlier version, which has only a text, shows this text", () => {
    const notice = { type: "notice", at: 1, runId: "r", text: "something old" } as AgentEvent;
    for (const language of ["en", "zh"] as const) {
      const block = { ...emptyReasoningBlock, runId: "r", language };
      expect(foldReasoning(block, notice).steps[0]?.text).toBe("something old");
    }
  });
});

test("[H19] the notices about filtered answers and calls in texts are in Chinese", () => {
  for (const code of ["answer_filtered", "answer_has_call"] as const) {
    expect(agentNoticeText({ code, params: {} }, "zh")).not.toMatch(/[a-z]/);
  }
});
