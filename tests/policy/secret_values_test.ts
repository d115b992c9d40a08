import assert from "node:assert/strict";
import { secretValues } from "../../src/policy/mod.ts";

Deno.test("secretValues() takes what is named like a credential, and what is asked for", () => {
  const env = {
    OPENAI_API_KEY: " key-of-openai ",
    GITHUB_TOKEN: "ghp_123456",
    DB_PASSWORD: "hunter22",
    npm_config__auth: "bnBtOmF1dGg=",
    LAB_ACCESS: "lab-access",
    GIT_AUTHOR_NAME: "A. Author",
    PATH: "/usr/bin:/bin",
    EDITOR: "vim-nox",
  };
  assert.deepEqual(secretValues(env), [
    "key-of-openai",
    "ghp_123456",
    "hunter22",
    "bnBtOmF1dGg=",
  ]);
  assert.deepEqual(
    secretValues({ LAB_ACCESS: env.LAB_ACCESS }, [
      "LAB_ACCESS",
    ]),
    ["lab-access"],
  );
});

Deno.test("secretValues() leaves out what is too short to be told from other text", () => {
  assert.deepEqual(secretValues({ A_KEY: "12345", B_KEY: "", C_KEY: " " }), []);
});

Deno.test("secretValues() knows a key of several lines by each of them", () => {
  const key = "-----BEGIN KEY-----\r\nabcdefgh\r\n-----END KEY-----";
  assert.deepEqual(secretValues({ SIGNING_KEY: key }), [
    key,
    "-----BEGIN KEY-----",
    "abcdefgh",
    "-----END KEY-----",
  ]);
});
