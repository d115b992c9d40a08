import type { JsonObject } from "../../model/content.ts";

/** The body of a `streamGenerateContent` request. */
export interface GoogleRequestWire {
  contents: GoogleContentWire[];
  systemInstruction?: { parts: GooglePartWire[] };
  tools?: { functionDeclarations: GoogleFunctionWire[] }[];
  toolConfig?: { functionCallingConfig: { mode: "AUTO" | "NONE" } };
  generationConfig?: {
    maxOutputTokens?: number;
    temperature?: number;
    thinkingConfig?: GoogleThinkingWire;
  };
}

/** A message of one side. */
export interface GoogleContentWire {
  role: "user" | "model";
  parts: GooglePartWire[];
}

/** A part of a message. It has exactly one of the kinds. */
export interface GooglePartWire {
  text?: string;
  /** True where `text` is a thought. */
  thought?: boolean;
  inlineData?: GoogleBlobWire;
  functionCall?: { id?: string; name: string; args: JsonObject };
  functionResponse?: {
    id?: string;
    name: string;
    /** `output` and `error` are the keys that the provider knows. */
    response: { output: string } | { error: string };
    /** Pictures; models before Gemini 3 take none. */
    parts?: { inlineData: GoogleBlobWire }[];
  };
  /** May be there with any kind. */
  thoughtSignature?: string;
}

/** Bytes in base64. */
export interface GoogleBlobWire {
  mimeType: string;
  data: string;
}

/** A tool. */
export interface GoogleFunctionWire {
  name: string;
  description: string;
  /** JSON Schema; the older field `parameters` takes a dialect of OpenAPI. */
  parametersJsonSchema: unknown;
}

/** Settings of thinking; a level and a budget exclude each other. */
export interface GoogleThinkingWire {
  includeThoughts: true;
  thinkingLevel?: "LOW" | "MEDIUM" | "HIGH";
  thinkingBudget?: number;
}
