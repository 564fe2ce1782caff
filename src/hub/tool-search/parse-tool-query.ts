import { wordSegments } from "../../text/index.ts";
import { type TermKind, readTerms } from "./tool-index.ts";
import { stemWord } from "./stem-word.ts";

/** One concept of a query: its alternative words, each with a weight. The best match of a tool counts. */
export type QueryTerm = ReadonlyMap<string, number>;

/** Maximum length of a query; the rest is ignored. */
const maxQueryLength = 1000;
const maxQueryTerms = 64;

/** Weight of a synonym relative to the word itself. */
const synonymShare = 0.55;
/** Weight of a pair of characters across two words, and of a single character. */
const acrossShare = 0.35;
const characterShare = 0.45;

/** Words that are common in requests. */
const commonQueryWords: ReadonlySet<string> = new Set(
  (
    "a about an and any are as at be by can could did do does for from had has have how i if in into is it its just let " +
    "like me my need of on or our out please she he so some that the their them then there these they this those to " +
    "tool tools us use using want wants was we were what when which who why will with would you your"
  )
    .split(" ")
    .map(stemWord),
);
/** The same in Chinese, longer ones first. */
const commonQueryPhrases =
  /什么时候|怎么样|有没有|什么|时候|多少|怎么|怎样|如何|哪里|哪些|哪个|大概|现在|可以|应该|一下|一个|这个|那个|我们|你们|他们|大家|帮我|给我|需要|能不能|是不是|[的了是在和与及或我你他她它们这那有也就都而吗呢吧啊把被对于从到关为给帮一个下要能会不没想用让去来些张条]/gu;
/** Maximum length of a Chinese word in the synonym table. */
const maxSynonymLength = 4;

/**
 * Parses a request for a tool. Common words are ignored, unless there are no others; synonyms count less than the words
 * themselves.
 */
export function parseToolQuery(query: string): QueryTerm[] {
  const text = query.slice(0, maxQueryLength).toLowerCase();
  const dense = denseWords(text);
  const reporting: QueryTerm[] = [];
  const defaults: QueryTerm[] = [];
  const seen = new Set<string>();
  readTerms(text, (term, kind, { start, end }) => {
    if (seen.has(term)) return;
    seen.add(term);
    const own = new Map([[term, shareOf(kind, dense.isWithin(start))]]);
    const others = new Map<string, number>();
    if (kind === "word") addSynonyms(others, text.slice(start, end));
    else addMeanings(others, dense.meanings.get(start), kind);
    const isDefault = kind === "word" ? commonQueryWords.has(term) : dense.isDefault(start, end);
    if (!isDefault) reporting.push(new Map([...others, ...own]));
    // A common phrase such as `how much` that still has a meaning.
    else if (kind !== "word" && others.size > 0) reporting.push(others);
    else defaults.push(own);
  });
  return (reporting.length > 0 ? reporting : defaults).slice(0, maxQueryTerms);
}

function shareOf(kind: TermKind, withinWord: boolean): number {
  if (kind === "word") return 1;
  if (kind === "character") return characterShare;
  return withinWord ? 1 : acrossShare;
}

function addSynonyms(ways: Map<string, number>, word: string): void {
  const table = synonyms();
  for (const form of new Set([word, stemWord(word), word.replace(/s$/, "")])) {
    for (const other of table.get(form) ?? []) addWord(ways, other);
  }
}

/** A word of the synonym table begins here: a tool with a synonym of it scores like one with the word. */
function addMeanings(ways: Map<string, number>, word: string | undefined, kind: TermKind): void {
  if (word === undefined || (kind === "character") !== (word.length === 1)) return;
  for (const other of synonyms().get(word) ?? []) addWord(ways, other);
}

/** A word of several pairs matches by each of them, and each pair only by its share. */
function addWord(ways: Map<string, number>, word: string): void {
  const terms: string[] = [];
  readTerms(word, (term, kind) => {
    if (kind !== "character" || word.length === 1) terms.push(term);
  });
  for (const term of terms) ways.set(term, Math.max(ways.get(term) ?? 0, synonymShare / terms.length));
}

/** The words of a text without spaces. */
interface DenseWords {
  /** True if the pair of characters at this offset is within one word. */
  isWithin(at: number): boolean;
  /** True if all of this is common in requests. */
  isDefault(start: number, end: number): boolean;
  /** Words of the synonym table, by their offset. */
  readonly meanings: ReadonlyMap<number, string>;
}

const noDenseWords: DenseWords = { isWithin: () => true, isDefault: () => false, meanings: new Map() };

/** Segments a text into dictionary words. */
function denseWords(text: string): DenseWords {
  if (!/[\u3400-\u9fff]/.test(text)) return noDenseWords;
  const lasts = new Set<number>();
  for (const { segment, index } of wordSegments(text)) lasts.add(index + segment.length - 1);
  const defaults = new Set<number>();
  for (const { index, 0: found } of text.matchAll(commonQueryPhrases)) {
    for (let at = index; at < index + found.length; at++) defaults.add(at);
  }
  const meanings = meaningsIn(text);
  return {
    isWithin: (at) => !lasts.has(at) || (meanings.get(at)?.length ?? 0) > 1,
    isDefault: (start, end) => {
      for (let at = start; at < end; at++) if (!defaults.has(at)) return false;
      return true;
    },
    meanings,
  };
}

/** The longest words of the table, without overlaps. */
function meaningsIn(text: string): Map<number, string> {
  const table = synonyms();
  const found = new Map<number, string>();
  for (let at = 0; at < text.length; at++) {
    for (let length = maxSynonymLength; length > 0; length--) {
      const word = text.slice(at, at + length);
      if (word.length < length || word.charCodeAt(0) < 0x3400 || !table.has(word)) continue;
      found.set(at, word);
      at += length - 1;
      break;
    }
  }
  return found;
}

/**
 * Words that people use for the same thing in a request for a tool. One line is one meaning, in English and Chinese; a
 * word may be in several. Limited to words common to tools of all kinds: terms of one domain belong into the
 * descriptions of its tools.
 */
const meanings: readonly string[] = [
  "create add new make register insert setup 新建 创建 新增 添加 增加 录入 登记",
  "submit apply request file create 提交 申请 填报 新建",
  "number count many amount 数量 人数 多少 几个",
  "delete remove erase drop discard destroy 删除 移除 清除 删掉",
  "cancel revoke abort withdraw delete 取消 撤销 撤回",
  "update change edit modify alter adjust set 修改 更新 编辑 调整 变更 更改 设置",
  "get show view read fetch retrieve return give tell display 查看 获取 读取 显示 看看 查询",
  "list all show enumerate 列出 列表 哪些 查询 清单",
  "search find query lookup look 搜索 查找 检索 查询 搜 找 寻找",
  "send deliver notify 发送 发 通知 寄",
  "email mail inbox message 邮件 邮箱",
  "post publish write 发布 发表 上线",
  "book reserve schedule arrange appointment reservation booking 预约 预订 预定 订 安排 约",
  "buy purchase order 购买 采购 买 下单 订购",
  "pay payment 支付 缴纳 付款 交费 缴费 交",
  "refund return reimburse 退款 退回 退 报销",
  "stop pause mute silence disable off halt 停止 暂停 关闭 禁用 关",
  "start begin launch run trigger execute on enable 启动 开始 运行 执行 发起 打开 开启 开",
  "restart rerun reboot retry again 重启 重试 重新",
  "revert rollback restore undo back 回滚 回退 恢复 还原",
  "move transfer relocate rename migrate 移动 转移 转交 转 挪 迁移 重命名",
  "copy duplicate clone 复制 拷贝",
  "merge join combine unite 合并 综合",
  "split cut trim crop divide 拆分 切分 剪 裁剪",
  "compare diff difference versus 比较 对比 比对 核对",
  "check verify validate test inspect whether 检查 核对 验证 查验 校验 审核 有没有",
  "approve accept allow confirm 同意 批准 审批 通过 确认",
  "reject decline deny refuse 驳回 拒绝",
  "lock block freeze 锁定 冻结 锁",
  "convert transform transcode turn change 转换 转成 换算 折算 转",
  "extract parse recognise recognize read ocr 提取 识别 抽取 解析",
  "calculate compute evaluate count sum math 计算 算 统计 求",
  "estimate forecast predict quote 估算 预估 预测 评估 大概",
  "summarize summarise summary gist digest 总结 摘要 汇总 概括 整理",
  "translate translation 翻译 互译 译",
  "transcribe speech 转写 转成文字",
  "generate make produce draw 生成 制作 画",
  "share give 分享 共享",
  "upload put 上传",
  "download save export 下载 导出 保存",
  "remember store keep save note 记住 记忆 保存 存储 记录",
  "remind reminder 提醒 提示",
  "urge hurry 催促 催",
  "analyze analyse analysis statistics report performance 分析 统计 报表 报告",
  "track trace locate where position 跟踪 追踪 追溯 到哪 在哪 哪里 位置",
  "log record track book note 记录 日志 登记",
  "price cost rate fee money quote much 价格 费用 多少钱 售价 报价 价 钱 费",
  "time date now today clock 时间 日期 几点",
  "weather forecast rain temperature 天气 气象 气温 下雨",
  "picture photo image 图片 照片 图像 图",
  "video clip movie film recording 视频 录像",
  "audio sound recording speech voice 音频 录音 语音 声音",
  "song music track 歌 音乐 歌曲",
  "file document 文件 文档",
  "folder directory 文件夹 目录",
  "web internet online website site page 网页 网站 网络 上网 互联网 线上",
  "url link address 链接 网址",
  "message chat conversation 消息 聊天 对话",
  "person people user customer client member employee staff 人员 用户 客户 会员 员工",
  "car vehicle 车 汽车 车辆",
  "package parcel shipment 包裹 快递 运单",
  "meeting event appointment 会议 日程 会",
  "task todo ticket issue bug 任务 待办 工单",
  "bill invoice 账单 发票",
  "code source program 代码 程序 编程",
  "database sql 数据库",
  "doctor hospital clinic medical 医生 医院 看病",
  "medicine drug medication 药 药品 药物",
  "food meal dish eat restaurant 菜 餐 吃 美食 餐馆 外卖",
  "shop store 店铺 商店 店",
  "bank account money 银行 账户",
  "stock share 股票",
  "hotel room 酒店 客房 房间 住宿",
  "exam test quiz question 考试 试卷 题",
  "score grade mark points 成绩 分数 打分",
  "phone mobile call 手机 电话",
  "contract agreement 合同 协议",
  "resume cv 简历",
  "lamp light 灯",
  "temperature degrees thermostat 温度 度",
  "near nearby around close 附近 周边",
  "expire due overdue deadline 到期 过期 逾期 期限",
  "broken fault failure error dead damage 故障 坏 损坏 错误",
  "spelling grammar typo mistake 错别字 语病",
  "address location coordinates place 地址 位置 坐标 地点",
  "vacation holiday leave absence 请假 假期 休假 假",
  "available free 空闲 有空 可用",
  "history past previous earlier 历史 以前 之前",
  "today current latest recent now realtime 最新 实时 现在 当前 今天",
];

/** A word of the table, and its synonyms. */
type Synonyms = ReadonlyMap<string, readonly string[]>;

let synonymCache: Synonyms | undefined;

/** The words of the table in lower case, as they are written; built on first use. */
function synonyms(): Synonyms {
  if (synonymCache !== undefined) return synonymCache;
  const table = new Map<string, string[]>();
  for (const meaning of meanings) {
    const words = meaning.split(" ");
    for (const word of words) table.set(word, [...(table.get(word) ?? []), ...words.filter((other) => other !== word)]);
  }
  return (synonymCache = table);
}
