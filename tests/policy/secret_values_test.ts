import assert from "node:assert/strict";
import fc from "fast-check";
import { secretForms, secretValues } from "../../src/policy/secret_values.ts";

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

Deno.test("secretValues() looks into JSON for members that are named like credentials", () => {
  const auth = { auths: { "registry.invalid": { auth: "dTpwYXNz" } } };
  const account =
    '{"type":"service_account","private_key":"a\\nb-c-d","token":"1"}';
  assert.deepEqual(
    secretValues({ DOCKER_AUTH_CONFIG: JSON.stringify(auth), A_KEY: account }),
    [JSON.stringify(auth), "dTpwYXNz", account, "a\nb-c-d"],
  );
  assert.deepEqual(secretValues({ A_KEY: "{no JSON" }), ["{no JSON"]);
});

Deno.test("secretForms() has a part of the secret in JSON, in URLs and in base64, whatever stands around it", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 6 }), text, text, (
      secret,
      before,
      behind,
    ) => {
      const whole = before + secret + behind;
      const bytes = new TextEncoder().encode(whole);
      const written = [
        whole,
        JSON.stringify(whole),
        JSON.stringify(JSON.stringify(whole)),
        encodeURIComponent(whole),
        bytes.toBase64(),
        bytes.toBase64({ alphabet: "base64url" }),
      ];
      const forms = secretForms(secret);
      assert(forms.every(({ length }) => length >= 6));
      for (const text of written) {
        assert(forms.some((form) => text.includes(form)), text);
      }
    }),
  );
});
