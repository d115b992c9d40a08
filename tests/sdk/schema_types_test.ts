import { type Static as OwnStatic, Type as ownType } from "@sinclair/typebox";
import assert from "node:assert/strict";
import {
  type Static,
  type TSchema,
  Type,
} from "../../src/model/schema_types.ts";

/** True only for the same type; `any` equals nothing else. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true : false;

Deno.test("Type is TypeBox's own, so that its schemas and types fit those of plugins", () => {
  assert.equal(Type, ownType);
  const made = Type.Object({ path: Type.Optional(Type.String()) });
  const theirs = ownType.Object({ path: ownType.Optional(ownType.String()) });
  true satisfies Same<typeof made, typeof theirs>;
  true satisfies Same<Static<typeof made>, { path?: string }>;
  true satisfies Same<Static<typeof made>, OwnStatic<typeof theirs>>;
  true satisfies Same<Static<TSchema>, unknown>;
  // @ts-expect-error -- a number is no path
  ({ path: 1 }) satisfies Static<typeof made>;
  assert.deepEqual(made, theirs);
});
