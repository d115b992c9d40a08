import assert from "node:assert/strict";
import { tauHome } from "../../src/settings/tau_home.ts";
import { UsageError } from "../../src/settings/usage_error.ts";

Deno.test("tauHome() is TAU_HOME, else .tau in the home folder", () => {
  assert.equal(tauHome({ TAU_HOME: "/x/y/", HOME: "/home/u" }), "/x/y");
  assert.equal(tauHome({ TAU_HOME: "", HOME: "/home/u/" }), "/home/u/.tau");
  assert.equal(tauHome({ USERPROFILE: "C:\\Users\\u" }), "C:\\Users\\u/.tau");
  assert.equal(tauHome({}), undefined);
});

Deno.test("tauHome() takes no settings from below the working folder, where HOME is relative", () => {
  assert.equal(tauHome({ HOME: "home" }), undefined);
  assert.equal(tauHome({ HOME: "." }), undefined);
});

Deno.test("tauHome() refuses a relative folder", () => {
  assert.throws(() => tauHome({ TAU_HOME: "tau" }), UsageError);
});
