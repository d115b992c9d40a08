import type { Message } from "../model/message.ts";
import type { Context } from "../model/stream.ts";

/** A common estimate; bytes, because a letter of most scripts is more than one. */
const BYTES_A_TOKEN = 4;
const IMAGE_TOKENS = 1200;
/** Frame of a message's content: its role, ids, names of fields. */
const FRAME_TOKENS = 16;

/**
 * Counts the tokens of a growing conversation: what the last answer's usage
 * says, and an estimate of what came after it. Each message is looked at once.
 */
export class ContextSize {
  readonly #encoder = new TextEncoder();
  /** Estimated tokens of the messages before an index. */
  #sums = [0];
  #last: Message | undefined;
  #latestMs = 0;
  /** The provider's count for all messages before an index. */
  #measured: { tokens: number; end: number } | undefined;
  #declared: Pick<Context, "systemPrompt" | "tools"> = {};
  #declaredTokens = 0;

  /** Takes in what is new; false when the messages are not those of last time and more. */
  read({ messages, systemPrompt, tools }: Context): boolean {
    if (
      systemPrompt !== this.#declared.systemPrompt ||
      tools !== this.#declared.tools
    ) {
      this.#declared = { systemPrompt, tools };
      this.#declaredTokens = this.#estimate(systemPrompt ?? "") +
        this.#estimate(JSON.stringify(tools ?? []));
    }
    const continues = messages[this.#sums.length - 2] === this.#last;
    if (!continues) this.#reset();
    for (let at = this.#sums.length - 1; at < messages.length; at++) {
      this.#add(messages[at] as Message, at);
    }
    return continues;
  }

  /** Estimated tokens of the messages from one index to before another. */
  between(from: number, to: number): number {
    return (this.#sums[to] ?? 0) - (this.#sums[from] ?? 0);
  }

  /** Tokens of a request that begins with a summary and goes on with the messages from `from` on. */
  total(from: number, summary: Message | undefined): number {
    const end = this.#sums.length - 1;
    const measured = this.#measured;
    if (measured) return measured.tokens + this.between(measured.end, end);
    const summaryTokens = summary ? this.tokensOf(summary) : 0;
    return this.#declaredTokens + summaryTokens + this.between(from, end);
  }

  /** Drops the provider's count: it was for messages that are no longer sent. */
  forgetUsage(): void {
    this.#measured = undefined;
  }

  /** An estimate; 0 for what is not sent. */
  tokensOf(message: Message): number {
    if (isBroken(message)) return 0;
    if (typeof message.content === "string") {
      return FRAME_TOKENS + this.#estimate(message.content);
    }
    let tokens = FRAME_TOKENS;
    for (const block of message.content) {
      switch (block.type) {
        case "text":
          tokens += this.#estimate(block.text);
          break;
        case "thinking":
          tokens += this.#estimate(block.thinking);
          break;
        case "toolCall":
          tokens += this.#estimate(
            block.name + JSON.stringify(block.arguments),
          );
          break;
        case "image":
          tokens += IMAGE_TOKENS;
      }
    }
    return tokens;
  }

  #add(message: Message, at: number): void {
    this.#sums.push((this.#sums[at] as number) + this.tokensOf(message));
    this.#last = message;
    // A kept message that stands behind a newer summary was counted with what
    // the summary replaced.
    const isKept = message.timestamp < this.#latestMs;
    this.#latestMs = Math.max(this.#latestMs, message.timestamp);
    if (message.role !== "assistant" || isBroken(message) || isKept) return;
    const tokens = message.usage.totalTokens;
    if (tokens > 0) this.#measured = { tokens, end: at + 1 };
  }

  #reset(): void {
    this.#sums = [0];
    this.#last = undefined;
    this.#latestMs = 0;
    this.#measured = undefined;
  }

  #estimate(text: string): number {
    return Math.ceil(this.#encoder.encode(text).length / BYTES_A_TOKEN);
  }
}

/** Wire formats leave such a message out. */
function isBroken(message: Message): boolean {
  return message.role === "assistant" &&
    (message.stopReason === "error" || message.stopReason === "aborted");
}
