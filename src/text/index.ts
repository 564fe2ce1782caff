export { canonicalUrl, withoutTracking } from "./canonical-url.ts";
export { cutJson } from "./cut-json.ts";
export { type CutText, cutText, fairShare, findCutPoint } from "./cut-text.ts";
export { cutDisplay, displayWidth, graphemes, padDisplay } from "./display-width.ts";
export { estimateTokens } from "./cut-text.ts";
export { formatDuration } from "./format-duration.ts";
export { formatProblem, formatProblems } from "./format-problem.ts";
export { LineIndex } from "./line-index.ts";
export { CodeFences, findFrontMatter } from "./markdown.ts";
export { prettyPrintJson } from "./pretty-print-json.ts";
export { type ParsedYaml, type YamlPath, parseYaml } from "./parse-yaml.ts";
export { type SourceRange, type Problem, hasErrors, onePerCause } from "./problem.ts";
export {
  type Coded,
  type CodedTexts,
  type Language,
  type NoParams,
  detectLanguage,
  renderCoded,
} from "./language-texts.ts";
export { sentenceEnds } from "./sentence-ends.ts";
export {
  type NamedText,
  fenceData,
  fenceWith,
  fencedDataRule,
  quoteText,
  showUnsafe,
  stripUnsafe,
} from "./untrusted-text.ts";
export { suggest } from "./suggest.ts";
