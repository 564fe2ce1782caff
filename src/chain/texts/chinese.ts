import { cliCommand, formatPath } from "../../base/index.ts";
import { formatDuration, renderCoded } from "../../text/index.ts";
import type { SkipReason, StepStatus } from "../interpreter/step-state.ts";
import { type ChainTextTable, quoteSentence } from "./chain-text-table.ts";
import type { ExplainFactParams, FactError, ReferenceValue } from "./explain-fact.ts";

/** The Chinese texts of chains. */
export const chinese: ChainTextTable = {
  notices: {
    chain_gone: ({ run, chain, file }) =>
      `${file === undefined ? `名为“${chain}”的链已不存在` : `${file} 已不存在`}；按运行 ${run} 所存的链执行`,
    chain_changed: ({ run, chain }) =>
      `运行 ${run} 开始后，链 ${chain} 有改动；要运行当前版本，可用 ${cliCommand(`rerun ${run}`)}`,
    tool_unavailable: ({ step, tool, reason }) => `${step}：${tool} 在这里不能工作：${reason}`,
  },
  facts: {
    run_status: ({ chain, status, error, ...duration }) =>
      `${chain} 的运行${runStatus[status]}，用时 ${durationText(duration)}${error === undefined ? "" : `：${reason(error, Infinity)}`}。`,
    succeeded: ({ tool, attempts, ...more }) =>
      `${subject(more)} 调用了 ${tool}，成功，用时 ${durationText(more)}${tries(attempts)}。`,
    recovered: ({ tool, fallback = "后备工具", attempts, ...more }) =>
      `${subject(more)} 调用了 ${tool}，失败，由 ${fallback} 代替，用时 ${durationText(more)}${tries(attempts)}。`,
    failed: ({ tool, attempts, error, ...more }) => {
      const took = `失败，用时 ${durationText(more)}${tries(attempts)}`;
      const called = attempts === 0 ? `在调用 ${tool ?? ""} 之前${took}` : `调用了 ${tool ?? ""}，${took}`;
      return `${subject(more)} ${tool === undefined ? took : called}：${reason(error)}。`;
    },
    cancelled: ({ ms, queuedMs, ...more }) =>
      `${subject(more)} ${ms === undefined ? "在开始之前被取消" : `在 ${durationText({ ms, queuedMs })} 之后被取消`}。`,
    awaits_approval: ({ approvals, ...more }) => `${subject(more)} 等待审批${approvalsText(approvals)}。`,
    awaits_external: ({ waits, ...more }) => `${subject(more)} ${listed(waits.map(externalWait))}。`,
    wait_ended: ({ event, ms, queuedMs, ...more }) => {
      const took = formatDuration(ms + (queuedMs ?? 0));
      return event === undefined
        ? `${subject(more)} 等待了 ${took}。`
        : `${subject(more)} 在 ${took} 后收到事件 ${event}；其数据不可信。`;
    },
    running: (more) => `${subject(more)} 已运行 ${durationText(more)}。`,
    interrupted: (more) => `${subject(more)} 运行时进程结束了；目前没有进程持有这次运行。`,
    not_begun: (more) => `${subject(more)} 尚未开始。`,
    not_ended: (more) => `${subject(more)} 尚未结束。`,
    skipped_by_condition: ({ condition, values, ...more }) =>
      `${subject(more)} 被跳过，因为条件 ${condition} 不成立${valuesText(values)}。`,
    skipped_by_step: ({ needs, status, ...more }) =>
      `${subject(more)} 被跳过：${skipped({ kind: "needs", step: needs, status })}。`,
    failed_before: ({ error, ...more }) => `${subject(more)} 失败：${reason(error)}。`,
    has_status: ({ step, status }) => `${step} ${statusWords[status]}。`,
    condition_held: ({ condition, values }) => `条件 ${condition} 成立${valuesText(values)}。`,
    started_with_chain: () => "它不需要其他步骤，随链一起开始。",
    started_later: ({ ms, slots }) => `它不需要其他步骤，在链开始 ${formatDuration(ms)} 后${slotText(slots)}开始。`,
    waited_for: ({ steps, last, lastMs, laterMs, slots }) => {
      const names = steps.map(({ step, by }) => (by === undefined ? step : `${step}（${by}）`));
      const which = steps.length === 1 ? "它" : `最后结束的 ${last} `;
      const then = laterMs === undefined ? "随即开始" : `又过 ${formatDuration(laterMs)}${slotText(slots)}开始`;
      return `它等待 ${listed(names)}，${which}在链开始 ${formatDuration(lastMs)} 后结束；${then}。`;
    },
    last_needed_by: ({ steps }) => `它是 ${listed(steps)} 等待的最后一个步骤。`,
    waits_for_steps: ({ steps }) => `等待 ${statuses(steps)}。`,
    waits_for_slot: ({ slots }) => `等待 ${slots} 个步骤名额中的一个（max_parallel）。`,
    chain_ended_by: ({ step }) => `${step} 在此之前失败，链因此结束。`,
    run_cancelled: () => "运行在此之前被取消。",
    chain_ended: () => "链在此之前结束。",
    parameter_received: ({ parameter, value, ofFirstItem, from }) =>
      `${parameterText(parameter)}为 ${value}${ofFirstItem ? "（第一项）" : ""}${from.length === 0 ? "" : `，来自 ${listed(from)}`}。`,
    parameter_omitted: ({ parameter, from }) => `${parameterText(parameter)}被省略，因为 ${listed(from)} 缺失。`,
    item_input: ({ value }) => `参数为 ${value}。`,
    parameters_untrusted: ({ parameters }) => `${listed(parameters)} 不可信：来自读取外部内容的工具。`,
    targets_allowed: ({ targets }) => {
      const setting = targets.map((kind) => `${kind}: allow`).join(", ");
      return `不可信内容可以决定它的 ${listed(targets)} 而无需审批：untrusted: { ${setting} }。`;
    },
    values_missing: ({ references }) => `${listed(references)} 缺失，表达式在那里允许缺失。`,
    expression_failed: ({ path, expression, values }) =>
      `${formatPath(path)} 的表达式 ${expression} 无法求值${valuesText(values)}。`,
    not_called: ({ tool, fallback, item, error }) =>
      `${forItem(item)}没有调用${fallback ? "后备工具" : ""} ${tool}：${reason(error)}。`,
    attempt_failed: ({ attempt, tool, fallback, item, error, retriedAfterMs, notRetried }) => {
      const which = fallback ? `后备工具 ${tool} ` : `第 ${attempt} 次尝试`;
      const sentence = `${forItem(item)}${which}失败：${reason(error)}`;
      if (retriedAfterMs !== undefined) return `${sentence}；${formatDuration(retriedAfterMs)} 后重试。`;
      if (notRetried === undefined) return `${sentence}。`;
      return `${sentence}；没有重试：${quoteSentence(renderCoded(chinese.notRetried, notRetried))}。`;
    },
    more_attempts_failed: ({ count }) => `另有 ${count} 次尝试失败。`,
    fallback_used: ({ tool, condition, values = [] }) =>
      `使用了后备工具 ${tool}：${condition === undefined ? "它用于任何失败" : `条件 ${condition} 成立${valuesText(values)}`}。`,
    fallback_not_used: ({ tool, reason: why, condition = "", values = [] }) => {
      const clause = {
        condition: `条件 ${condition} 不成立${valuesText(values)}`,
        not_approved: "它没有条件，而这次调用未获批准",
        step_ended: "步骤在考虑它之前结束",
      }[why];
      return `没有使用后备工具 ${tool}：${clause}。`;
    },
    items_processed: ({ count, concurrency, failed, tolerate }) => {
      const first = `处理了 ${count} 项，最多同时 ${concurrency} 项`;
      if (failed.length === 0) return `${first}；没有失败。`;
      const limit = "count" in tolerate ? `${tolerate.count} 项` : `${Number((tolerate.share * 100).toFixed(2))} %`;
      const which = failed.map(
        ({ item, error }) => `[${item}]${error === undefined ? "" : `（${reason(error, 80)}）`}`,
      );
      return `${first}；${failed.length} 项失败（tolerate 允许 ${limit}）：${listed(which, 6)}。`;
    },
    rounds_run: ({ rounds, max, until, end }) => {
      const went = `运行了 ${rounds} 轮，最多 ${max} 轮`;
      return `${went}${{ held: `，直到 ${until} 成立`, never_held: `，${until} 始终不成立`, stopped: "" }[end]}。`;
    },
    chain_continued: ({ fallbacks }) =>
      `${fallbacks ? noFallback : ""}链在没有它的情况下继续（error_handling: continue）；需要它的步骤被跳过。`,
    chain_stopped: ({ fallbacks }) =>
      fallbacks ? `${noFallback}它的失败使链结束。` : "它的失败使链结束（error_handling: abort）。",
    item_tolerated: () => "这次失败被容许：它在输出中为 null。",
    undone: ({ tool = undoTool }) => `之后链停止，${tool} 撤销了这个步骤。`,
    not_undone: ({ tool = undoTool, error }) =>
      `之后链停止，${tool} 没能撤销这个步骤${error === undefined ? "" : `：${reason(error)}`}。`,
    undo_unknown: ({ message }) => `之后链停止，可能已完成的工作没有撤销：${quoteSentence(message)}。`,
    undo_awaits_approval: ({ tool, approval }) => `它用 ${tool} 的补偿等待审批 ${approval}。`,
    steps_inside: ({ steps }) => `其中的步骤：${statuses(steps)}。`,
    served_by: ({ tools, merged }) => `由 ${listed(tools)} 提供${merged ? "，结果已合并" : ""}。`,
    source_failed: ({ tool, error: { code, message } }) =>
      `也调用了 ${tool}，失败：${code === undefined ? quoteSentence(message) : reason({ code, message })}。`,
    source_skipped: ({ tool, message }) => `跳过了 ${tool}：${quoteSentence(message)}。`,
    confirmed_done: ({ approval }) =>
      `有人${approval === undefined ? "" : `（审批 ${approval}）`}确认它的工作已完成，并提供了输出；它没有再次运行。`,
    approval_needed: ({ approval }) => `它需要审批（${approval}）。`,
    approval_pending: ({ approval, undo, tool, args, step }) =>
      `审批 ${approval} 待处理，用于${undo ? "撤销" : ""}步骤 ${step}：${tool} ${args}。`,
    output_cached: () => "输出取自缓存，没有运行工具。",
    output: ({ value, selected }) => `${selected ? "经过 select 的" : ""}输出为 ${value}。`,
  },
  notRetried: {
    no_retries: () => "没有配置重试",
    retries_failed: ({ max }) => `全部 ${max} 次重试都失败了`,
    effect_once: () => "这个工具不能运行两次（effect: once）",
    would_fail_again: ({ code }) => `再次调用会同样失败（${code}）`,
    verdict_unsafe: () => "它可能已经发生（重试结论：unsafe）",
    condition_false: () => "retry.when 不成立",
    condition_failed: ({ message }) => message,
    is_fallback: () => "后备工具不重试",
    fallback_failed: () => "后备工具的表达式失败",
  },
  skipped,
};

const noFallback = "没有后备工具成功。";
const undoTool = "它的补偿";

const runStatus: Readonly<Record<ExplainFactParams["run_status"]["status"], string>> = {
  running: "仍在进行",
  interrupted: "已中断（进程已结束）",
  waiting: "正在等待",
  success: "已成功结束",
  failed: "已失败",
  cancelled: "已取消",
};

const statusWords: Readonly<Record<StepStatus, string>> = {
  pending: "未开始",
  running: "运行中",
  success: "成功",
  recovered: "已恢复",
  skipped: "已跳过",
  failed: "失败",
  cancelled: "已取消",
  waiting: "等待审批",
};

function skipped(reason: SkipReason): string {
  if (reason.kind === "condition") return `条件 ${reason.condition} 不成立`;
  const hasOutcome = ["failed", "skipped", "cancelled"].includes(reason.status);
  return `需要 ${reason.step}，而它${hasOutcome ? statusWords[reason.status] : "没有输出"}`;
}

function subject({ step, item }: { readonly step: string; readonly item?: number }): string {
  return item === undefined ? step : `${step}[${item}]`;
}

function durationText({ ms, queuedMs }: { readonly ms: number; readonly queuedMs?: number | undefined }): string {
  const took = formatDuration(ms);
  return queuedMs === undefined ? took : `${took}（另等待 ${formatDuration(queuedMs)}）`;
}

function tries(attempts: number): string {
  return attempts > 1 ? `，尝试 ${attempts} 次` : "";
}

function reason(error: FactError | undefined, maxLength?: number): string {
  return error === undefined ? "没有记录原因" : `${error.code}：${quoteSentence(error.message, maxLength)}`;
}

function externalWait({ event, until }: ExplainFactParams["awaits_external"]["waits"][number]): string {
  const end = until === undefined ? "" : `到 ${until}`;
  return event === undefined ? `等${end}` : `等待事件 ${event}${end === "" ? "" : `（${end}为止）`}`;
}

function approvalsText(approvals: readonly string[]): string {
  const [id, ...more] = approvals;
  if (id === undefined) return "";
  const which = more.length === 0 ? id : "ID";
  return ` ${listed(approvals)}；用 \`${cliCommand(`approve ${which}`)}\` 或 \`${cliCommand(`reject ${which}`)}\` 决定`;
}

/** `：a = 1，b 缺失`. */
function valuesText(values: readonly ReferenceValue[]): string {
  const without = { missing: " 缺失", unrecorded: "（没有记录它的值）", unknown: "（它的值未知）" };
  const shown = values.map((one) => one.reference + ("value" in one ? ` = ${one.value}` : without[one.without]));
  return shown.length === 0 ? "" : `：${shown.join("，")}`;
}

function slotText(slots: number | undefined): string {
  return slots === undefined ? "" : `、${slots} 个步骤名额有空时（max_parallel）`;
}

function parameterText(name: string | undefined): string {
  return name === undefined ? "输入" : `参数 ${name} `;
}

function forItem(item: number | undefined): string {
  return item === undefined ? "" : `[${item}]：`;
}

function statuses(steps: readonly { readonly step: string; readonly status: StepStatus }[]): string {
  return listed(steps.map(({ step, status }) => `${step}（${statusWords[status]}）`));
}

/** Of many the first ones. */
function listed(words: readonly string[], max: number = 8): string {
  if (words.length <= max) return words.join("、");
  return `${words.slice(0, max - 1).join("、")} 等，另有 ${words.length - max + 1} 个`;
}
