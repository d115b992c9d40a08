import { atOnce } from "../support/at_once.ts";
import { killAndResume } from "../support/killed_session.ts";

const SESSIONS = 20;
/** Of one session; a longer one would take longer to resume than to kill. */
const KILLS = 10;
/** Sessions at a time; more would only wait for each other. */
const LANES = 3;

const seed = Number(Deno.env.get("TAU_SLOW_SEED") ?? Date.now() % 1e9);

Deno.test(`tau runs no call twice and loses none in ${SESSIONS * KILLS} kills, seed ${seed}`, async () => {
  const seeds = Array.from({ length: SESSIONS }, (_, n) => seed + n).values();
  await atOnce(Array(LANES).fill(undefined), async () => {
    for (const seed of seeds) {
      await killAndResume({ seed, kills: KILLS }).catch((cause) => {
        throw new Error(`With TAU_SLOW_SEED=${seed}`, { cause });
      });
    }
  });
});
