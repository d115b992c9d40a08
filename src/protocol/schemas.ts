import { Type } from "@sinclair/typebox";
import type { JsonValue } from "../model/content.ts";
import { runEventSchema } from "./event_schemas.ts";
import { flag, number, oneOf, text } from "./message_schemas.ts";
import { runResultSchema } from "./result_schema.ts";

const rpcResponseSchema = Type.Object({
  id: Type.Optional(Type.Union([text, number])),
  type: Type.Literal("response"),
  command: text,
  success: flag,
  data: Type.Optional(Type.Unsafe<JsonValue>({})),
  error: Type.Optional(text),
}, { $id: "Response", title: "The answer to a command of tau rpc" });

const rpcDialogSchema = Type.Object({
  type: Type.Literal("extension_ui_request"),
  id: text,
  method: oneOf("confirm", "select", "input", "editor"),
  title: text,
  message: Type.Optional(text),
  options: Type.Optional(Type.Array(text)),
  placeholder: Type.Optional(text),
  prefill: Type.Optional(text),
}, { $id: "Question", title: "A question to the user of tau rpc" });

/** The first line of a stream of events. */
export const sessionHeaderSchema = Type.Object({
  type: Type.Literal("session"),
  version: Type.Literal(3),
  id: text,
  timestamp: Type.String({ description: "ISO 8601" }),
  cwd: text,
  parentSession: Type.Optional(text),
}, { $id: "Header", title: "The first line of a tau run's stream of events" });

/** A line of stdout with `--output-format json` or `stream-json`. */
export const outputLineSchema = Type.Union([
  sessionHeaderSchema,
  runEventSchema,
  runResultSchema,
], { $id: "Line", title: "A line of tau's stdout in JSON" });

/** A line of stdout of `tau rpc`. */
export const rpcLineSchema = Type.Union([
  rpcResponseSchema,
  rpcDialogSchema,
  runEventSchema,
  runResultSchema,
], { $id: "RpcLine", title: "A line of the stdout of tau rpc" });

/** The documents that `tau schema` prints, by name. */
export const documents = {
  line: outputLineSchema,
  rpc: rpcLineSchema,
  header: sessionHeaderSchema,
  event: runEventSchema,
  result: runResultSchema,
};
