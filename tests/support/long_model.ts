import { assembleMessage } from "../../src/model/assemble_message.ts";
import { emptyUsage } from "../../src/model/message.ts";
import type {
  AssistantDelta,
  Context,
  StreamFn,
} from "../../src/model/stream.ts";
import { assertSendable } from "./scripted_model.ts";

/** Bytes of a request as the double counts them: four make a token. */
export function tokensOf(
  { systemPrompt = "", messages, tools }: Context,
): number {
  const texts = messages.map(({ role, content }) => ({ role, content }));
  return Math.ceil(
    (systemPrompt.length + JSON.stringify([texts, tools]).length) / 4,
  );
}

/** Whether a request asks for a summary. */
export function isSummaryRequest(context: Context): boolean {
  return context.tools === undefined &&
    /coding agent, so that/.test(context.systemPrompt ?? "");
}

/** A scripted model and what it was asked. */
export interface LongModel {
  streamFn: StreamFn;
  contexts: Context[];
  faults: unknown[];
}

/**
 * A model that calls a tool for a number of turns and then answers. It refuses
 * contexts that a provider would refuse, those beyond its window included.
 */
export function longModel(
  {
    turns,
    window,
    tellsUsage = true,
    keepsContexts = true,
    summary = "So far: much.",
  }: {
    turns: number;
    window: number;
    /** Default true. */
    keepsContexts?: boolean;
    tellsUsage?: boolean;
    summary?: string | Error;
  },
): LongModel {
  const contexts: Context[] = [];
  const faults: unknown[] = [];
  let turn = 0;
  const answer = (context: Context): AssistantDelta[] => {
    const tokens = tokensOf(context);
    if (tokens > window) {
      return [{
        type: "error",
        reason: "error",
        errorKind: "context_overflow",
        errorMessage: `prompt is too long: ${tokens} > ${window}`,
      }];
    }
    const usage = tellsUsage
      ? {
        ...emptyUsage(),
        input: tokens,
        output: 50,
        totalTokens: tokens + 50,
      }
      : emptyUsage();
    if (isSummaryRequest(context)) {
      return summary instanceof Error
        ? [{
          type: "error",
          reason: "error",
          errorKind: "refused",
          errorMessage: summary.message,
        }]
        : say(summary, usage);
    }
    if (++turn > turns) return say("All done.", usage);
    return [
      { type: "start" },
      {
        type: "toolcall_start",
        contentIndex: 0,
        id: `c${turn}`,
        toolName: "look",
      },
      { type: "toolcall_delta", contentIndex: 0, delta: `{"at":${turn}}` },
      { type: "toolcall_end", contentIndex: 0 },
      { type: "done", reason: "toolUse", usage },
    ];
  };
  const streamFn: StreamFn = (model, context) => {
    if (keepsContexts) contexts.push(context);
    try {
      assertSendable(context);
    } catch (fault) {
      faults.push(fault);
    }
    return assembleMessage(
      model,
      (async function* () {
        yield await Promise.resolve(answer(context));
      })(),
    );
  };
  return { streamFn, contexts, faults };
}

function say(
  text: string,
  usage: ReturnType<typeof emptyUsage>,
): AssistantDelta[] {
  return [
    { type: "start" },
    { type: "text_start", contentIndex: 0 },
    { type: "text_delta", contentIndex: 0, delta: text },
    { type: "text_end", contentIndex: 0 },
    { type: "done", reason: "stop", usage },
  ];
}
