export { type FromLangChainModelOptions, fromLangChainModel } from "./from-langchain-model.ts";
export {
  type FromLangChainToolOptions,
  type LangChainCall,
  type LangChainTool,
  fromLangChainTool,
} from "./from-langchain-tool.ts";
export {
  type ToLangChainModelOptions,
  type WindlassCallOptions,
  WindlassChatModel,
  toLangChainModel,
} from "./to-langchain-model.ts";
export { type LangChainToolsOptions, toLangChainTools } from "./to-langchain-tools.ts";
