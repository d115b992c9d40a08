import type { Model } from "../model/model.ts";

/** The model of a kernel that asks none. */
export const NO_MODEL: Model = {
  id: "none",
  name: "none",
  api: "openai-completions",
  provider: "none",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  contextWindow: 1,
  maxTokens: 1,
};
