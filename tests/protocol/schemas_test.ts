import assert from "node:assert/strict";
import type { Static } from "@sinclair/typebox";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonValue } from "../../src/model/content.ts";
import type { Message } from "../../src/model/message.ts";
import type { messages } from "../../src/protocol/message_schemas.ts";
import type {
  pluginEventSchemas,
  RunEvent,
} from "../../src/protocol/event_schemas.ts";
import type {
  PluginRunEvent,
  ToolDeniedEvent,
} from "../../src/protocol/documented_events.ts";
import { schemaDocument } from "../../src/protocol/schema_document.ts";
import type { SessionHeader } from "../../src/session/session_entry.ts";
import {
  outputLineSchema,
  sessionHeaderSchema,
} from "../../src/protocol/schemas.ts";
import { assertKnown, assertKnownLines } from "../support/output_lines.ts";

/** The type with every member required, so that one which is missing elsewhere is missed. */
type Complete<T> = JsonValue extends T ? T
  : T extends object ? { [K in keyof T]-?: Complete<T[K]> }
  : T;

/** Functions of one line, where both types are the same. */
type Same<A, B> = [
  (value: A) => B,
  (value: B) => A,
  (value: Complete<A>) => Complete<B>,
  (value: Complete<B>) => Complete<A>,
];

const asItIs = <T>(value: T): T => value;

// These do not compile when a type and its schema differ.
const sameTypes: [
  Same<Message, Static<typeof messages>>,
  Same<PluginRunEvent, Static<(typeof pluginEventSchemas)[number]>>,
  Same<ToolDeniedEvent, Extract<RunEvent, { type: "tool_denied" }>>,
  Same<SessionHeader, Static<typeof sessionHeaderSchema>>,
] = [
  [asItIs, asItIs, asItIs, asItIs],
  [asItIs, asItIs, asItIs, asItIs],
  [asItIs, asItIs, asItIs, asItIs],
  [asItIs, asItIs, asItIs, asItIs],
];

const HEADER = {
  type: "session",
  version: 3,
  id: "s",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/w",
};

Deno.test("the schemas of messages and of documented events say what their documented types say", () => {
  // The compiler has compared them.
  assert.equal(sameTypes.length, 4);
});

Deno.test("schemaDocument() makes one document of which a validator needs no other", () => {
  const validate = new Ajv2020({ strict: false })
    .compile(schemaDocument(outputLineSchema));
  const user = { role: "user", content: "hi", timestamp: 1 };
  for (
    const line of [
      HEADER,
      { type: "turn_start" },
      { type: "message_end", message: user },
      // A newer program may say more.
      { type: "turn_start", later: true },
    ]
  ) assert(validate(line), JSON.stringify(validate.errors));
  for (
    const line of [
      { type: "turn" },
      { type: "message_end", message: { ...user, role: "nobody" } },
      { type: "result" },
      { ...HEADER, version: 2 },
    ]
  ) assert(!validate(line), JSON.stringify(line));
});

Deno.test("schemaDocument() says each part once", () => {
  const text = JSON.stringify(schemaDocument(outputLineSchema));
  assert.equal(text.match(/"US dollars; 0 where/g)?.length, 1);
  assert.doesNotMatch(text, /"\$id"/);
  for (const [, name = ""] of text.matchAll(/"#\/\$defs\/(\w+)"/g)) {
    assert.match(text, new RegExp(`"${name}":\\{`));
  }
});

Deno.test("assertKnown() refuses a line of another type and a member without a name in the schema", () => {
  assertKnown(HEADER);
  assert.throws(
    () => assertKnown({ type: "news" }),
    /no schema describes a line of type news/,
  );
  assert.throws(
    () => assertKnown({ ...HEADER, more: 1 } as { type: string }),
    /additional/,
  );
  assert.throws(() =>
    assertKnownLines(`{"type":"turn_start"}\n{"type":"turn_star"}\n`)
  );
  assertKnownLines('{"type":"turn_sta');
});
