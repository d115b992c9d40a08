import { Type } from "@sinclair/typebox";
import { anyJson, bounded, oneOf, text as anyText } from "./message_schemas.ts";

const text = bounded(anyText, { maxLength: 64 * 1024 });
const texts = Type.Array(text);
const place = Type.Integer({ minimum: 1 });

/** The schemas of what is told of plugins. */
export const pluginEventSchemas = [
  Type.Object({
    type: Type.Literal("plugin_loaded"),
    name: text,
    path: text,
    ms: Type.Number({ minimum: 0 }),
    tools: texts,
    commands: texts,
    flags: texts,
    events: texts,
    warnings: texts,
  }),
  Type.Object({
    type: Type.Literal("plugin_error"),
    name: text,
    path: text,
    during: Type.Optional(text),
    message: text,
    file: Type.Optional(text),
    line: Type.Optional(place),
    column: Type.Optional(place),
    stack: Type.Optional(text),
  }),
  Type.Object({
    type: Type.Literal("plugin_notice"),
    name: text,
    level: oneOf("info", "warning", "error"),
    message: text,
  }),
  Type.Object({
    type: Type.Literal("custom_entry"),
    customType: text,
    data: Type.Optional(anyJson),
  }),
] as const;
