import assert from "node:assert/strict";
import type { AgentTool } from "../../src/agent/agent_tool.ts";
import { SessionTools } from "../../src/session/session_tools.ts";

function tools(...names: string[]): AgentTool[] {
  return names.map((name) => ({
    name,
    label: name,
    description: name,
    parameters: { type: "object", properties: {} },
    execute: () => Promise.resolve({ content: [] }),
  }));
}

function namesOf({ name }: { name: string }): string {
  return name;
}

Deno.test("SessionTools gives the active tools as one frozen list until something changes", () => {
  const set = new SessionTools(tools("a", "b", "c"), { active: ["c", "a"] });
  const before = set.snapshot();
  assert.deepEqual(before.map(namesOf), ["c", "a"]);
  assert.equal(set.snapshot(), before);
  assert(Object.isFrozen(before));
  set.setActive(["b", "nothing"]);
  assert.deepEqual(set.snapshot().map(namesOf), ["b"]);
  assert.deepEqual(before.map(namesOf), ["c", "a"]);
  assert.deepEqual(set.changeSince(["c", "a"]), {
    added: ["b"],
    removed: ["c", "a"],
  });
});

Deno.test("SessionTools makes nothing active that is not allowed", () => {
  const set = new SessionTools(tools("a", "b"), {
    isAllowed: (name) => name !== "b" && name !== "d",
  });
  assert.deepEqual(set.activeNames, ["a"]);
  set.setActive(["b", "a"]);
  set.add(tools("c", "d"));
  assert.deepEqual(set.activeNames, ["a", "c"]);
  assert.deepEqual(set.all.map(namesOf), ["a", "c"]);
});

Deno.test("SessionTools adds all of a list or nothing", () => {
  const set = new SessionTools(tools("a"));
  assert.throws(() => set.add(tools("b", "a")), { name: "ToolContractError" });
  assert.deepEqual(set.activeNames, ["a"]);
});

Deno.test("SessionTools keeps what was active when all tools are replaced, and makes new ones active", () => {
  const set = new SessionTools(tools("a", "b", "c"), { active: ["b", "a"] });
  set.replace(tools("a", "c", "d"));
  assert.deepEqual(set.activeNames, ["a", "d"]);
});
