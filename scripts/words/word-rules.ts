/** A word that the glossary replaces. */
export interface WordRule {
  readonly id: string;
  /** Matched against words of an identifier, or against running text. */
  readonly pattern: RegExp;
  readonly use: string;
  /** Whole identifiers that are right all the same. */
  readonly except?: RegExp;
  /** A warning has legitimate uses: its number may only fall. */
  readonly level: "error" | "warning";
}

function word(id: string, words: string, use: string, except?: RegExp): WordRule {
  const pattern = new RegExp(`^(?:${words})$`, "i");
  return { id: `${id}-name`, pattern, use, level: "error", ...(except && { except }) };
}

function text(id: string, pattern: RegExp, use: string): WordRule {
  return { id, pattern, use, level: "error" };
}

function warning(id: string, pattern: RegExp, use: string): WordRule {
  return { id, pattern, use, level: "warning" };
}

/** Words in names: of declarations, members, parameters, variables, values of union types, files and folders. */
export const identifierRules: readonly WordRule[] = [
  word("told", "(?:un|re)?told|retell\\w*", "replayed, reported, emitted, sent"),
  word("tell", "(?:un)?tell\\w*", "report, log, warn, emit, notify"),
  word("said", "(?:un)?said|sayings?|(?:un)?spoken", "history, message, text"),
  word(
    "ask",
    "(?:un)?ask\\w*",
    "request (model, HTTP), requestApproval (person), elicit (MCP), prompt (terminal), send",
  ),
  word("question", "(?:un)?question\\w*", "prompt (user), modelRequest (model), approval (person), elicitation (MCP)"),
  word(
    "place",
    "(?:mis|un)?plac(?:es?|ed|ing|ements?)",
    "slot (concurrency), position / range (text), turnRef (agent), index",
    /^(?:inPlace|moveIntoPlace)$/,
  ),
  word("kept", "(?:un)?kept|keepers?", "stored, persisted, durable, retained, cached"),
  word("parked", "(?:un)?park(?:s|ed|ing)?", "suspended (run), pending (approval)"),
  word("door", "doors?|door(?:step|way)s?", "HttpClient / http, FileAccess / files"),
  word("shelf", "shelf|shelves|shelved?|shelving", "resultStore"),
  word("wish", "wish\\w*|granters?|fibers?", "RunEffect, EffectHandler, RunningProgram"),
  word("unheard", "unheard|deaf\\w*", "unacknowledged, closed"),
  word("wanted", "(?:un)?wanted", "requested, query, input"),
  word("given", "given|givens", "input, args, options, provided"),
  word("surround", "surround\\w*", "RunEnvironment, HandlerWrapper, boilerplate"),
  word("flight", "flights?", "inFlight", /(?:^|[a-z])[iI]n(?:Flight|-flight)/),
  word("roster", "rosters?", "SmallSet"),
  word("era", "eras?", "protocolVersion"),
  word(
    "whoever",
    "whoever|whatever|nobody|somebody|anybody|everybody",
    "name the noun: caller, approver, lease holder, user, no one needed",
  ),
  word(
    "most",
    "most|longest|deepest|largest|least",
    "max…, min…",
    /^(?:mostUsed|longestFirst|largestUsage|leastRecent\w*|utmost)$/,
  ),
  word("usual", "usual|usually", "default…"),
  word("mend", "mend(?:s|ed|ing|ers?|able)?", "repair"),
  word("amiss", "amiss|unmeant|meant|meaning", "resolved, suggested, detected", /^meaning$/i),
];

/** Words in comments, documents, messages and titles of tests. */
export const textRules: readonly WordRule[] = [
  text("told-again", /\b(?:told|tells?|tell) (?:it |them )?again\b|\bretell\w*/i, "replay, replayed"),
  text("told", /\b(?:told|untold)\b(?! again)/i, "reported, logged, warned, sent, notified"),
  text("tell", /\b(?:tells?|telling)\b(?! again)(?! apart)/i, "report, log, warn, emit, return, show"),
  text("tell-apart", /\b(?:tells?|told|telling) (?:\w+ ){0,3}apart\b/i, "distinguish, identify"),
  text("said", /\bsaid\b/i, 'message history, text; "as described"'),
  text(
    "whoever",
    /\b(?:whoever|whomever|whosoever|whichever of them)\b/i,
    "name the noun: the caller, the lease holder, the approver, the reader",
  ),
  text("whatever", /\bwhatever\b(?! \w+s? (?:you|is) )/i, "any, regardless of"),
  text("somebody", /\b(?:nobody|somebody|anybody|everybody)\b/i, "no approver, another process, a user, any caller"),
  text("absent", /\b(?:where|when|if) (?:it is |they are |that is )?absent\b/i, "Default: X. / if omitted"),
  text("so-many", /\bso many\b|\bat most so\b/i, "a maximum of N; at most N"),
  text(
    "is-no",
    /(?<!\bthere )\b(?:is|are|was|were|be) (?:none\b(?! of)|no (?!longer|more\b|less\b|different|doubt|need|way\b|matter|such)\w+)/i,
    "is not a …",
  ),
  text("go-on", /\b(?:go|goes|going|went|gone) on\b/i, "resume, continue; run, is running"),
  text(
    "from-outside",
    /\b(?:text|something|what comes|values?|content|data|messages?|results?)? ?from outside\b(?! (?:the|of|its|this|a)\b)/i,
    "untrusted (content); tainted (call)",
  ),
  text(
    "harm",
    /\bdo(?:es|ing)? (?:any |no )?harm\b|\bharms? (?:nobody|nothing|no)\b|\bmay do harm\b/i,
    'destructive; "errors are ignored"',
  ),
  text(
    "archaic",
    /\b(?:for want of|amiss|in vain|house-keeping|so to say|thereof|hereby|lest|forthwith|save that|for ever)\b/i,
    "plain words: missing, wrong, for nothing, maintenance",
  ),
  text("guard-nothing", /\bguards? nothing\b|\babout no tool\b/i, "match no tool; unmatched rule"),
  text("passed-over", /\bpass(?:ed|es|ing)? over\b/i, "skipped"),
  text("parked", /\b(?:parks?|parked|parking)\b/i, "suspended (run); pending (approval)"),
  text("door", /\bdoors?\b/i, "HTTP client; file access"),
  text("shelf", /\b(?:shelf|shelves|shelved)\b/i, "result store"),
  text("wish", /\b(?:wish|wishes|granter|fibers?|flows? of the run)\b/i, "effect, effect runner, program"),
  text("mend", /\bmend(?:s|ed|ing)?\b/i, "repair, fix"),
  warning("by-now", /\bby now\b|\bmeanwhile\b/i, "already; in the meantime, concurrently"),
  text("came-of", /\b(?:came|comes|becomes|became|come) of\b/i, "outcome, result"),
  text("again", /\b(?:made|begun|asked|called|put|tried) again\b/i, "retried, re-executed"),
  text("take-over", /\b(?:takes?|taken|took|taking) (?!precedence)(?:\w+ )?over\b/i, "claim (a run); reuse (a result)"),
  text("of-ones-own", /\bof (?:one's|your|somebody's) own\b/i, "custom"),
  text("held-against", /\bheld against\b/i, "compared with, checked against"),
  text(
    "left",
    /\bleft (?:as (?:it|they)|where|to whoever|alone|behind|open to)\b|\b(?:is|are|was|were) left\b(?! (?:out|over|of|in|side|edge|to right))/i,
    "released; unchanged; abandoned",
  ),
  text("in-words", /\bin words\b|\bin few words\b/i, "as text; message"),
  warning("kept", /\bkept\b/i, "stored, persisted, durable, retained, cached"),
  warning("looked-at", /\blook(?:s|ed|ing)? (?:at|through|around|for)\b/i, "checked, inspected, searched"),
  text("rests", /\b(?:rests for|resting|is resting)\b/i, "cool-down"),
  text("one-road", /\bone road\b|\bgoes this way\b/i, "the same path"),
  warning(
    "place",
    /(?<!\b(?:in|into|out of|take|takes|took|first|its|their|same) )\bplaces?\b(?! of (?:a|the) secret)(?!holder)/i,
    "slot (concurrency); position, location, offset (text)",
  ),
  warning(
    "question",
    /\bquestions?\b(?! mark)/i,
    "prompt (user), model request (model), approval (person), elicitation (MCP)",
  ),
  warning("ask", /\b(?!(?<=[`"'])ask[`"'])(?:asks?|(?:un)?asked|asking)\b(?! rules?\b)/i, "request, require, query"),
  warning(
    "what-first",
    /^\s*(?:\*\s*)?(?:What|Who|Whose|Whom|Whether|How|Where)\b(?![^.]*\?)/,
    'begin with the noun or verb: "Options for …", "Returns …"',
  ),
  warning(
    "rhetorical",
    /^\s*(?:\*\s*)?(?:Is|Are|Does|Do|Has|Have|May|Can|Could|Was|Did|Were|Must)\b[^.]*\?/,
    '"True if …"',
  ),
];
