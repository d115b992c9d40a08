import assert from "node:assert/strict";
import { childEnvironment } from "../../src/policy/environment.ts";

Deno.test("childEnvironment() keeps what programs need and drops everything else", () => {
  assert.deepEqual(
    childEnvironment({
      PATH: "/bin",
      HOME: "/home/a",
      LC_ALL: "C.UTF-8",
      CARGO_HOME: "/home/a/.cargo",
      XDG_CACHE_HOME: "/home/a/.cache",
      XDG_RUNTIME_DIR: "/run/user/1",
      ANTHROPIC_API_KEY: "secret",
      GITHUB_TOKEN: "secret",
      DB_PASSWORD: "secret",
      LC_SECRET: "secret",
      EDITOR: "vi",
      SOMETHING: "else",
    }),
    {
      PATH: "/bin",
      HOME: "/home/a",
      LC_ALL: "C.UTF-8",
      CARGO_HOME: "/home/a/.cargo",
      XDG_CACHE_HOME: "/home/a/.cache",
    },
  );
});

Deno.test("childEnvironment() passes named variables, secrets included, by exact name", () => {
  const env = { GITHUB_TOKEN: "t", GITHUB_TOKEN_2: "u", github_token: "v" };
  assert.deepEqual(childEnvironment(env, ["GITHUB_TOKEN", "ABSENT"]), {
    GITHUB_TOKEN: "t",
  });
});

Deno.test("childEnvironment() never inherits TAU_ variables, even when they are named", () => {
  const env = { TAU_SESSION_ID: "old", TAU_HOME: "/x", Path: "C:\\bin" };
  assert.deepEqual(childEnvironment(env, ["TAU_HOME"]), { Path: "C:\\bin" });
});

Deno.test("childEnvironment() keeps a variable named __proto__ an ordinary one", () => {
  const env = Object.fromEntries([["__proto__", "x"], ["PATH", "/bin"]]);
  const result = childEnvironment(env, ["__proto__"]);
  assert.deepEqual(Object.entries(result), [["__proto__", "x"], [
    "PATH",
    "/bin",
  ]]);
});
