import type { Model } from "../model/model.ts";
import type { Context, StreamOptions } from "../model/stream.ts";
import type { ProviderErrors } from "./provider_error.ts";
import type { AnswerReader, ReaderOptions } from "./response_reader.ts";

/** The part of a request and of its response in which wire formats differ. */
export interface WireFormat {
  /** Appended to the model's base URL. */
  path(model: Model): string;
  /** Sent besides those of every request. Default none. */
  headers?: Record<string, string>;
  /** The headers that carry the key. */
  credential(key: string): Record<string, string>;
  /** The body, before it is JSON. Throws a `ModelError` for a tool that must be strict and cannot be. */
  body(model: Model, context: Context, options: StreamOptions): object;
  /** Makes the reader of one response. */
  reader(options: ReaderOptions): AnswerReader;
  /** Words failures and hides the secrets. Default: with the name of the model's provider. */
  errors?(secrets: string[]): ProviderErrors;
}
