import type { AgentNoticeParams, OmissionReason, OptionType } from "../events/agent-notice.ts";
import type { AgentTextTable } from "./agent-text-table.ts";

const hadToAnswer = "模型只能用已有的内容回答";

const optionTypes = {
  text: "文本",
  texts: "文本列表",
  count: "不小于 1 的整数",
  tokens: "token 数",
  commands: "名称到工具的映射",
} as const;

const optionType = (type: OptionType): string =>
  typeof type === "string" ? optionTypes[type] : type.map((word) => JSON.stringify(word)).join(" 或 ");

const omissions = { too_many: "文件太多", budget: "超出预算", not_text: "不是文本" } as const;

const omission = (reason: OmissionReason): string => (typeof reason === "string" ? omissions[reason] : reason.message);

const ignored: Readonly<Record<AgentNoticeParams["commands_ignored"]["reason"], string>> = {
  pasted: "它似乎在粘贴的邮件或聊天记录里；请写在那之前，或另发一条",
  not_leading: "它会产生修改，只在行首有效，并且不能在“Summarize:”这样的一行之下",
  other_runner: "只有 planned 运行方式执行命令",
  untrusted_prompt: "提问本身不可信",
};

const unusableCommand: Readonly<Record<AgentNoticeParams["custom_command_unusable"]["reason"], string>> = {
  name: "名称不是有效的词",
  tool: "没有指定工具",
  params: "params 不是映射",
};

const listed = (files: readonly string[], more: number): string =>
  more > 0 ? `${files.join("、")} 等，另有 ${more} 个` : files.join("、");

/** The Chinese texts of agents. */
export const chinese: AgentTextTable = {
  notices: {
    custom_notice: ({ text }) => text,
    answer_cut_off: () => "回答达到模型的 token 上限，已被截断",
    answer_filtered: () => "回答被模型服务的内容过滤器截断",
    answer_has_call: () => "回答里有模型写成文本的工具调用，没有执行",
    model_replaced: ({ model, replacement, message }) => `${model} 没有回答，改用 ${replacement}：${message}`,
    images_removed: () => "服务拒绝了请求，已移除工具返回的图片",
    results_cleared: () => "对话太长，已清除较早的工具结果",
    history_summarized: () => "对话太长，已归纳它的开头",
    tools_not_allowed: () => "模型想用工具，但不能调用：max_rounds 为 0",
    rounds_used_up: ({ rounds }) =>
      `${rounds === 1 ? "一" : `${rounds} `}轮工具调用（max_rounds）已用完，${hadToAnswer}`,
    no_progress: () => `最后几次调用没有带来新内容，${hadToAnswer}`,
    budget_nearly_used_up: () => `预算将要用完，${hadToAnswer}`,
    results_within_budget: ({ results, text }) => {
      const found = results.map(({ tool, summary }) => `${tool}：${summary}`);
      return `预算用完之前找到：${[...found, ...(text === undefined ? [] : [`模型：${text}`])].join("；")}`;
    },
    other_prompts_answered: ({ count }) =>
      `在此期间，这个对话中另有 ${count} 个提问得到了回答；本次回答没有考虑，下一次会考虑`,
    option_unusable: ({ option, expects }) => `options.${option} 不是${optionType(expects)}，没有使用`,
    custom_command_unusable: ({ command, reason }) => `命令“${command}”不能使用：${unusableCommand[reason]}`,
    custom_commands_limited: ({ max, omitted }) => `只能使用前 ${max} 个命令，另有 ${omitted} 个没有使用`,
    command_unknown: ({ command, suggestion }) => `没有命令 @${command}，是不是 @${suggestion}？`,
    command_not_executed: ({ command, reason, tool }) => {
      const why = {
        no_tool: `没有这个智能体可以使用的工具 ${JSON.stringify(tool)}`,
        no_content: "没有要记住的内容",
        no_query: "没有要查找的内容",
      }[reason];
      return `@${command} 没有执行：${why}`;
    },
    commands_limited: ({ max, omitted }) => `只执行了前 ${max} 个命令，另有 ${omitted} 个未执行`,
    commands_ignored: ({ commands, reason }) =>
      `${commands.map((name) => `@${name}`).join("、")} 被当作文本：${ignored[reason]}`,
    loop_failed: ({ message }) => `循环中断（${message}），改用计划`,
    plan_succeeded: () => "按计划得出了回答",
    plan_failed: ({ message }) => `计划也失败了（${message}）`,
    plan_as_text: () => "模型不支持工具，已改为请求文本形式的计划；llm 运行方式只请求一次，不用工具",
    plan_unusable: ({ issues, instead }) =>
      `没有可用的计划（${issues.join("；")}）：${instead === "no_tools" ? "没有按计划调用工具" : "已按一个步骤回答"}`,
    gathered_results_cut: () => "工具给出的内容太长，已截断",
    plan_shortened: ({ steps, max }) => `计划有 ${steps} 个步骤，只执行了前 ${max} 个`,
    dependency_dropped: ({ step, dependency, reason }) => {
      if (reason === "cycle") return `${step} 不等待 ${dependency}：计划中的依赖形成了循环`;
      const why = reason === "itself" ? "步骤不能等待自己" : `没有步骤 ${JSON.stringify(dependency)}`;
      return `${step} 等待的步骤比计划的少：${why}`;
    },
    plan_made: ({ steps }) => {
      const lines = steps.map(({ id, description, tool, dependencies }) => {
        const after = dependencies.length === 0 ? "" : `，在 ${dependencies.join("、")} 之后`;
        return `${id}（${tool}${after}）：${description}`;
      });
      return [`${steps.length} 个步骤：`, ...lines].join("\n");
    },
    step_cut_off: ({ step }) => `${step} 达到模型的 token 上限，已被截断`,
    step_tool_replaced: ({ step, tool, replacement, message = `没有调用 ${tool}` }) =>
      `${step}：${message}；${replacement === undefined ? "没有用工具回答" : `改用 ${replacement}`}`,
    result_unverified: ({ step = "回答", issues }) => `${step} 未通过校验：${issues.join("；")}`,
    answer_not_written: ({ message }) => `模型没有写出回答（${message}），原样返回最后的结果`,
    model_without_answer: ({ message, quotesNotes }) =>
      `模型没有回答（${message}）${quotesNotes ? "，改为引用笔记" : ""}`,
    time_without_notes: ({ time }) => `没有“${time}”的笔记，已搜索全部笔记`,
    time_not_understood: ({ time }) => `看不懂时间“${time}”，已搜索全部笔记`,
    citations_missing: () => "回答没有引用任何笔记",
    citations_unknown: ({ citations }) => `这些不对应任何笔记，保持原样：${citations.join(" ")}`,
    project_not_listed: ({ message }) => `无法列出项目的文件：${message}`,
    project_limited: ({ max }) => `项目文件夹的条目超过 ${max} 个，其余的已忽略`,
    pattern_unusable: ({ pattern }) => `项目的模式 ${JSON.stringify(pattern)} 不能使用`,
    files_cut: ({ files, more }) => `只显示了开头：${listed(files, more)}`,
    files_omitted: ({ files, more, reason }) => `未包含（${omission(reason)}）：${listed(files, more)}`,
  },
  omission,
  thinking: "正在思考",
  parts: {
    answer: { doing: "正在生成回复", done: "已生成回复" },
    summary: { doing: "正在归纳对话", done: "已归纳对话" },
    plan: { doing: "正在规划步骤", done: "已规划步骤" },
    check: { doing: "正在校验", done: "已校验" },
    step: { doing: "正在处理一个步骤", done: "已处理一个步骤" },
  },
  waiting: (seconds, isLimited) =>
    `等待 ${seconds} 秒：${isLimited ? "服务要求放慢速度" : "服务出错或无法连接，将重试"}`,
  calls: {
    local_search: (subject) => `正在为${subject}搜索笔记`,
    web_search: (subject) => `正在为${subject}搜索网络`,
    search_files: (subject) => `正在为${subject}搜索文件`,
    memory_recall: (subject) => `正在回忆${subject}`,
    memory_store: (subject) => `正在记住${subject}`,
    find_tools: (subject) => `正在为${subject}寻找工具`,
    web_fetch: (subject) => `正在阅读${subject}`,
    http_request: (subject) => `正在请求${subject}`,
    read_file: (subject) => `正在阅读${subject}`,
    read_note: (subject) => `正在阅读${subject}`,
    write_file: (subject) => `正在写入${subject}`,
    edit_file: (subject) => `正在修改${subject}`,
    list_dir: (subject) => `正在查看${subject}`,
    calculator: (subject) => `正在计算${subject}`,
    get_time_range_ms: (subject) => `正在确定${subject}的时间范围`,
    get_weather: (subject) => `正在查询${subject}的天气`,
    youtube_transcription: (subject) => `正在读取${subject}的字幕`,
  },
  bareCalls: {
    local_search: "正在查看笔记",
    list_dir: "正在查看文件夹",
    get_file_tree: "正在查看文件树",
    get_current_time: "正在查看时间",
    get_time_range_ms: "正在确定时间范围",
    read_result: "正在继续阅读结果",
    get_conversation_history: "正在回顾对话",
  },
  otherCall: (name, input) => `正在调用 ${name}${input}`,
  duplicateCall: (name) => `${name}：与之前的调用相同`,
  quoted: (text) => `“${text}”`,
  comma: "、",
  found: (count, names) => {
    if (count === 0) return "没有找到";
    return `找到 ${count} 条${names.length === 0 ? "" : `：${names.join("、")}${count > names.length ? "……" : ""}`}`;
  },
  indexing: (counted) => (counted === undefined ? "正在索引笔记" : `正在索引笔记：${counted}`),
  notVerified: (issues) => `（未通过校验：${issues}）`,
  moreTools: (count, finder) => `还有 ${count} 个其他工具没有列出：用 ${finder} 按用途查找，找到后即可调用。`,
  vault: {
    nothing: (terms) => `笔记里没有找到${terms === "" ? "相关内容" : `与${terms}有关的内容`}。`,
    noTopic: "这句话里没有可以在笔记中查找的内容。请说出主题或时间；加引号的词会原样查找。",
    extracted: "以下未经模型改写，是笔记中与问题最相符的原句。",
    listed: (time) =>
      `以下未经模型改写，是${time === undefined ? "最新的笔记" : `“${time}”的笔记`}，由新到旧，各附第一句。`,
    more: "还有更多。",
    otherTimes: (time, terms) => `没有“${time}”${terms === "" ? "" : `与${terms}有关`}的笔记；以下来自其他时间。`,
  },
};
