import { atOnce } from "../support/at_once.ts";
import { killAndResume } from "../support/killed_session.ts";

Deno.test("tau runs no call twice and loses none, however often it is killed", async () => {
  await atOnce([1, 2], (seed) => killAndResume({ seed, kills: 10 }));
});
