import { cliCommand } from "../../../base/index.ts";
import type { RunKindId } from "../../../store/index.ts";
import { formatDuration } from "../../../text/index.ts";
import { costOf, tokensOf } from "./agent-usage.ts";
import type { CliTextTable } from "./english.ts";
import { formatNumber } from "../format-figures.ts";

/** The Chinese texts of the CLI. */
export const chinese: CliTextTable = {
  agent: {
    began: (runner, runId) => `${runner}：运行 ${runId}`,
    ended: (state, ms) => `${state}，用时 ${formatDuration(ms)}`,
    before: (calls) => `此前已完成 ${formatNumber(calls)} 次调用`,
    retrying: "连接中断，正在重试",
    called: (tool, { well, ms, detail }) =>
      `${tool}：${well ? "完成" : "失败"}，用时 ${formatDuration(ms)}${detail === "" ? "" : `；${detail}`}`,
    waits: (tool, approvalId, message) => `${tool} 等待审批 ${approvalId}：${message}`,
    decided: (tool, approved) => `${tool} ${approved ? "已批准" : "已拒绝"}`,
    used: (used) => {
      const [tokens, cost] = [tokensOf(used), costOf(used)];
      return [
        `${formatNumber(used.calls)} 次工具调用`,
        `${formatNumber(used.rounds)} 次模型请求`,
        ...(tokens > 0 ? [`${used.usage.estimated === true ? "约 " : ""}${formatNumber(tokens)} 个 token`] : []),
        ...(cost === undefined ? [] : [`费用 ${cost}（货币单位与所配置的价格相同）`]),
      ].join("，");
    },
    stopping: "正在取消；再按一次 Ctrl-C 立即退出（之后可恢复）。",
    releasing: "正在退出：已开始的调用会执行完，不再发起新的调用。",
    stopped: "已停止；本次提问不计入对话。",
    cut: "（回答不完整）",
    cutOff: "（回答不完整：已达到模型的 token 上限；可让它继续，或调高 max_tokens）",
    note: (text) => `注意：${text}`,
    released: (runId, command) => `运行 ${runId} 已中断，可用 ${command} 恢复`,
    resumeHint: (command) => `可用 ${command} 恢复`,
    effects: {
      pure: "无副作用",
      read: "只读",
      idempotent: "会产生修改，可重复执行",
      once: "会产生修改，不可重复执行",
    },
    approvalReason: (effect, rule) =>
      `${effect}；需要批准的原因：${rule === undefined ? "对话中包含不可信内容" : `规则 ${rule}`}`,
  },
  approvals: {
    message: (message) =>
      message.replace(
        /^Allow (.+) to run with these arguments\?/s,
        (_all, tool: string) => `是否允许以这些参数调用 ${tool}？`,
      ),
    approve: "是否批准？[y/n，按回车键稍后决定] ",
    unclear: "请输入 y 批准、n 拒绝，或直接按回车键稍后决定。",
    forgotten: (typed) => `已忽略提示出现之前的输入：${typed}`,
    unused: (typed) => `已忽略没有提示时的输入：${typed}`,
    notSent: (typed) => `未发送，因为该审批已在别处处理：${typed}；再次输入即可发送`,
    elsewhere: (how, by) => {
      if (how === "expired") return "已过期，未及时处理";
      return `已在别处${how === "approved" ? "批准" : "拒绝"}${by === undefined ? "" : `（${by}）`}`;
    },
    omitted: (size, command) => `… 已省略 ${size}，可用 ${command} 查看全部 …`,
    waiting: "等待审批：",
    needs: (runId, decisions) => `运行 ${runId} 有 ${decisions} 个待处理的审批`,
    awaitsWorker: (runId, command) => `运行 ${runId} 没有待处理的审批，只等待进程来执行，可用 ${command} 恢复`,
    externalWait: ({ step, event, until }) => {
      const end = until === undefined ? "" : `，到 ${until} 为止`;
      return event === undefined ? `${step} 正在等待${end}` : `${step} 等待事件 ${event}${end}`;
    },
    sendEvent: (command) => `可用以下命令发送事件：${command}`,
    continuedBy: (command) => `服务进程会继续这次运行；也可用以下命令继续：${command}`,
    position: ({ part, round, call }) => `${part === undefined ? "" : `${part}，`}第 ${round} 轮，第 ${call} 次调用`,
    afterwards: (kind) => `批准或拒绝后运行都会继续；${afterRejection[kind]}`,
  },
  chat: {
    greeting: ({ runner, model = "（未配置模型）", tools, messages }) => {
      const before = messages === 0 ? "" : `，此前 ${formatNumber(messages)} 条消息`;
      return `${runner}，${model}，${formatNumber(tools)} 个工具${before}；输入 /help 查看命令`;
    },
    withoutModel: "/runner vault 无需模型，直接根据笔记回答",
    exitAgain: "再按一次 Ctrl-C 退出。",
    commands: {
      help: "显示帮助",
      tools: "列出模型可用的工具；加关键词可筛选",
      model: "列出模型；加名称可切换",
      runner: "查看运行方式；加名称可切换",
      resume: "恢复等待审批的提问；有多个时加编号",
      history: "查看对话历史；加数字只显示最近几条消息",
      usage: "查看本次会话的用量",
      clear: "清空对话历史",
      exit: "退出；也可按 Ctrl-D",
    },
    aboutKeys: "按 Ctrl-C 停止当前回答；在空行连按两次则退出。",
    noCommand: (name, near) => `未知命令 /${name}；${near === undefined ? "输入 /help 查看命令" : `是不是 /${near}？`}`,
    beginsWithSlash: "要发送以 / 开头的内容，请在前面加一个空格",
    tools: (count) => `${formatNumber(count)} 个工具`,
    noModel: () => `未配置模型；详情请运行：${cliCommand("doctor")}`,
    nextModel: (name) => `下一次提问将由 ${name} 回答。`,
    nextRunner: (name) => `下一次提问将使用 ${name}。`,
    nothingWaits: "没有等待审批的提问",
    severalWait: (count) => `有 ${formatNumber(count)} 个提问在等待审批；用“/resume 编号”恢复其中一个`,
    noneOfThem: (count, word) => `有 ${formatNumber(count)} 个提问在等待审批，其中没有 ${JSON.stringify(word)}`,
    needsNumber: "/history 后面应为要显示的消息条数",
    emptyHistory: "暂无对话记录。",
    prompts: (count) => `${formatNumber(count)} 次提问：`,
    forgotten: "已清空。",
  },
  block: {
    states: {
      thinking: "思考中",
      working: "处理中",
      answering: "回答中",
      waiting: "等待审批",
      interrupted: "已中断",
      completed: "已回答",
      failed: "失败",
      cancelled: "已取消",
    },
    elapsed: (time) => `已用 ${time}`,
    earlier: (steps) => `… 前面还有 ${steps} 步`,
    byCommand: "（由命令发起）",
  },
};

const afterRejection: Readonly<Record<RunKindId, string>> = {
  agent: "拒绝时跳过该调用",
  chain: "被拒绝的步骤视为失败，后续由其 error_handling 决定",
  call: "被拒绝的调用不会执行，运行以失败结束",
};
