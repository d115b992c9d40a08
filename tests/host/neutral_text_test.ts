import assert from "node:assert/strict";
import fc from "fast-check";
import {
  NeutralText,
  type Surroundings,
} from "../../src/host/recording/neutral_text.ts";

const HERE: Surroundings = {
  cwd: "/home/ann/work/app",
  homeDir: ["/home/ann", "/data/ann"],
  tauHome: ["/home/ann/.tau"],
  tempDirs: ["/tmp", "/home/ann/tmp"],
  outputDir: "/tmp/tau-1a2b",
  secrets: ["s3cr3t-value", "s3cr3t-value-long"],
};

const ELSEWHERE: Surroundings = {
  cwd: "/builds/1",
  homeDir: ["/root"],
  tauHome: ["/root/.tau"],
  tempDirs: ["/var/tmp/ci/"],
  outputDir: "/root/.tau/tmp/7f",
  secrets: [],
};

function canonical(text: string, surroundings = HERE): string {
  return new NeutralText(surroundings).canonical(text);
}

const PLACES: [string, string][] = [
  ["/home/ann/work/app", "<tau:cwd>"],
  ["see /home/ann/work/app/src/a.ts.", "see <tau:cwd>/src/a.ts."],
  ["in /home/ann/work/app.", "in <tau:cwd>."],
  ['path="/home/ann/AGENTS.md"', 'path="<tau:home>/AGENTS.md"'],
  ["file:///home/ann/.tau/skills", "file://<tau:tau_home>/skills"],
  ["/home/ann/work/app2/x", "<tau:home>/work/app2/x"],
  ["/home/ann/work/app.old", "<tau:home>/work/app.old"],
  ["/home/anna/x", "/home/anna/x"],
  ["/data/ann/x", "<tau:home>/x"],
  ["/mnt/tmp/x", "/mnt/tmp/x"],
  ["cc -I/tmp/x -L/home/ann/work/app", "cc -I<tau:tmp>/x -L<tau:cwd>"],
  ["my-I/tmp/x --I/tmp/x", "my-I/tmp/x --I/tmp/x"],
  ['"Error\\n/tmp/x"', '"Error\\n<tau:tmp>/x"'],
  ["/tmp/x /home/ann/tmp/x", "<tau:tmp>/x <tau:tmp>/x"],
  ["cd /tmp/tau-1a2b", "cd <tau:outputs>"],
  [
    "Full output: /tmp/tau-1a2b/bash-9f.log. [/tmp/tau-1a2b/bash-07.log]",
    "Full output: <tau:output:1>. [<tau:output:2>]",
  ],
  [
    "/tmp/tau-1a2b/b.log /tmp/tau-1a2b/a.log /tmp/tau-1a2b/b.log",
    "<tau:output:1> <tau:output:2> <tau:output:1>",
  ],
];

const CHANCE: [string, string][] = [
  ["2026-11-30", "<tau:date>"],
  ["at 2026-11-30T01:02:16.123Z,", "at <tau:date>,"],
  ["2026-11-30 01:02:16.123456789 +0100 a", "<tau:date> a"],
  ["2026-11-30T20-08-54-929Z_x", "<tau:date>_x"],
  ["Mon Nov 30 01:02:16 UTC 2026", "<tau:date>"],
  ["Date:   Mon Nov 30 01:02:16 2026 +0100", "Date:   <tau:date>"],
  ["Mon, 30 Nov 2026 01:02:16 GMT", "<tau:date>"],
  ["4096 Nov 30 01:02 a.txt", "4096 <tau:date> a.txt"],
  ["4096 Nov  3  2025 a.txt", "4096 <tau:date> a.txt"],
  ["3afa9a54-0dab-4238-9282-b545bb5ac6f9", "<tau:id>"],
  [
    "tau 0.1.0 and tau/1.22.3-beta.1",
    "tau <tau:version> and tau/<tau:version>",
  ],
  ["1.2.3 2026-13-01 12026-11-30 May 5", "1.2.3 2026-13-01 12026-11-30 May 5"],
];

const SECRETS: string[] = [
  "s3cr3t-value",
  "s3cr3t-value-long",
  "sk-ant-api03-abcdefghijklmnop",
  "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
  "AKIAIOSFODNN7EXAMPLE",
  "AIzaSyA-1234567890abcdefghijklmnopqrs",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
  "-----BEGIN RSA PRIVATE KEY-----\nMIIE+/=\n-----END RSA PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\\nMIIE+/=\\n-----END PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nVJTUt9Us8cKjMzEfYYjiWA",
];

Deno.test("canonical() puts marks in the place of folders and outputs", () => {
  for (const [text, expected] of PLACES) {
    assert.equal(canonical(text), expected);
  }
});

Deno.test("canonical() takes dates, generated ids and the version of tau out", () => {
  for (const [text, expected] of CHANCE) {
    assert.equal(canonical(text), expected);
  }
});

Deno.test("canonical() and portable() let no credential through", () => {
  for (const secret of SECRETS) {
    const neutral = new NeutralText(HERE);
    const expected = "a TAU-SECRET-REMOVED b";
    assert.equal(neutral.canonical(`a ${secret} b`), expected);
    assert.equal(neutral.portable(`a ${secret} b`), expected);
  }
  assert.equal(
    canonical("curl -H 'Authorization: Bearer abc123.x' http://u:p4ss@h/"),
    "curl -H 'Authorization: Bearer TAU-SECRET-REMOVED' http://u:TAU-SECRET-REMOVED@h/",
  );
  assert.equal(
    canonical(
      "https://h/?a=b&X-Signature=0f1e2d3c4b5a69788796&key=YOUR_OWN_KEY",
    ),
    "https://h/?a=b&X-Signature=TAU-SECRET-REMOVED&key=YOUR_OWN_KEY",
  );
});

Deno.test("canonical() knows a folder also as URLs have it", () => {
  const cwd = "/home/ann/my [app] (é)";
  const neutral = new NeutralText({ ...HERE, cwd });
  for (
    const form of [
      cwd,
      "/home/ann/my%20[app]%20(%C3%A9)",
      "/home/ann/my%20%5Bapp%5D%20(%C3%A9)",
    ]
  ) {
    assert.equal(neutral.canonical(`file://${form}/a`), "file://<tau:cwd>/a");
  }
  assert.equal(neutral.restored("<tau:cwd>/a"), `${cwd}/a`);
});

Deno.test("canonical() leaves its own marks as they are", () => {
  const words = [...PLACES, ...CHANCE].map(([text]) => text);
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(...words, ...SECRETS), fc.string())),
      (parts) => {
        const once = canonical(parts.join(" "));
        assert.equal(canonical(once), once);
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("restored() says the same with the places of another run", () => {
  const told = new NeutralText(HERE);
  told.canonical("Full output: /tmp/tau-1a2b/bash-1.log");
  const answer = told.portable(
    "cat /tmp/tau-1a2b/bash-1.log /tmp/tau-1a2b/x.log /home/ann/work/app/a /home/ann/b /tmp/c",
  );
  const heard = new NeutralText(ELSEWHERE);
  heard.canonical("Full output: /root/.tau/tmp/7f/bash-2.log");
  assert.equal(
    heard.restored(answer),
    "cat /root/.tau/tmp/7f/bash-2.log /root/.tau/tmp/7f/x.log /builds/1/a /root/b /var/tmp/ci/c",
  );
});

Deno.test("restored() leaves marks that stand for nothing", () => {
  const { restored } = {
    restored: (text: string) => new NeutralText(HERE).restored(text),
  };
  const text = "<tau:output:7> <tau:nothing> <tau:date> <tau:constructor>";
  assert.equal(restored(text), text);
});

Deno.test("canonical() is alike for the same text in two places", () => {
  const label = fc.constantFrom<keyof Surroundings>(
    "cwd",
    "homeDir",
    "tauHome",
  );
  const part = fc.oneof(
    fc.record({ label, rest: fc.constantFrom("", "/a.ts", "/b/c d") }),
    fc.constantFrom(" says ", "\n", ": ", "=", '"'),
  );
  const told = (parts: unknown[], surroundings: Surroundings) =>
    (parts as (string | { label: keyof Surroundings; rest: string })[])
      .map((one) =>
        typeof one === "string"
          ? one
          : ` ${[surroundings[one.label]].flat()[0]}${one.rest} `
      ).join("");
  fc.assert(fc.property(fc.array(part), (parts) => {
    assert.equal(
      canonical(told(parts, HERE)),
      canonical(told(parts, ELSEWHERE), ELSEWHERE),
    );
  }));
});

Deno.test("canonical() takes text without places where the folders are roots", () => {
  const roots = { ...HERE, cwd: "/", homeDir: ["/"], tauHome: undefined };
  assert.equal(canonical("/ and /etc/x", roots), "/ and /etc/x");
});

Deno.test("canonical() takes a short time for hostile text", () => {
  const texts = [
    "-----BEGIN PRIVATE KEY-----".repeat(20_000),
    "/tmp/tau-1a2b/a.".repeat(40_000),
    Array.from({ length: 20_000 }, (_, i) => `/tmp/tau-1a2b/${i}`).join(" "),
    `://${"x".repeat(500_000)}`,
    `Mon Nov${" ".repeat(500_000)}`,
    "authorization: bearer ".repeat(20_000),
  ];
  for (const text of texts) {
    const startMs = performance.now();
    canonical(text);
    const tookMs = performance.now() - startMs;
    assert(tookMs < 1000, `${text.slice(0, 30)}: ${tookMs} ms`);
  }
});
