import { type Static, Type } from "@sinclair/typebox";
import type { JsonValue } from "../model/content.ts";
import { PROFILES } from "../policy/permission_policy.ts";
import { controlFileChange, denial } from "./event_schemas.ts";
import { count, flag, oneOf, text, usage } from "./message_schemas.ts";
import { EXIT_CODES, type RunStatus } from "./exit_codes.ts";

// The terminal record of a run: the source of its types and of its document.

/**
 * Outcome of trying something that a run must not do: refused, done, or nothing
 * to try it with and nothing that forbids it.
 */
const probeOutcome = oneOf("held", "open", "not tried");

/** One ring's probes; a ring that has no say in something does not try it. */
export const ringProbes = Type.Object({
  read: probeOutcome,
  write: probeOutcome,
  connect: probeOutcome,
});

/** The rings that a kernel tries at the start. */
const rings = {
  /** The file tools. */
  operations: ringProbes,
  /** The kernel's Deno permissions. */
  deno: ringProbes,
  /** The system around the commands that tools start. */
  system: ringProbes,
};

const granted = Type.Object({
  profile: oneOf(...PROFILES),
  /** Files and folders that the file tools and the code of the kernel read. */
  read: Type.Array(text),
  write: Type.Array(text),
  /** Folders that commands write, where they are confined. */
  commandsWrite: Type.Array(text),
  /** Nothing, all, or these hosts, by plugins through the host. */
  net: Type.Union([oneOf("none", "all"), Type.Array(text)]),
  /** Names of the variables that commands see. */
  environment: Type.Array(text),
});

/** Refused paths, by what they were wanted for. `protected`: to write what starts programs or changes permissions. */
const attempted = Type.Object({ read: count, write: count, protected: count }, {
  description: "Paths that the file tools were refused",
});

const deniedCalls = Type.Object({ toolName: text, ...denial, count });

const sandbox = Type.Object({
  requested: oneOf("auto", "require", "off"),
  /** `confined`: the system confined the commands that tools start. `unused`: no kernel was up, since the run needed none or was over before. */
  state: oneOf("confined", "unconfined", "unused"),
  /** Reason why it did not. */
  reason: Type.Optional(text),
  /** Absent when the run was over before. */
  probes: Type.Optional(Type.Object({
    ...rings,
    reportedBy: oneOf("kernel"),
  }, { description: "What the kernel was refused when it tried" })),
}, { description: "What confined the commands that tools start" });

const capabilities = Type.Object({
  granted,
  /** By rules, each with how often; the first hundred of them. */
  denied: Type.Array(deniedCalls, {
    description: "Calls that rules kept from being made",
  }),
  attempted,
  /** The process that counted what was denied and attempted. */
  reportedBy: oneOf("kernel"),
});

const controlFiles = Type.Object({
  changed: Type.Array(Type.Object(controlFileChange)),
  isPartial: Type.Optional(Type.Literal(true, {
    description: "There were too many folders to look at all of them",
  })),
}, {
  description:
    "Files that start programs or change permissions, and are not as they were",
});

const statuses = Object.keys(EXIT_CODES) as RunStatus[];

/** The terminal record: one a run, whatever happened. */
export const runResultSchema = Type.Object({
  type: Type.Literal("result"),
  version: Type.Literal(1),
  status: oneOf(...statuses),
  exitCode: Type.Integer({ minimum: 0, maximum: 255 }),
  /** The last assistant message's text. */
  text: Type.String({
    description: "The answer; what there was of it when the run failed",
  }),
  structured: Type.Optional(Type.Unsafe<JsonValue>({
    description:
      "The value that the answer holds, of a completed run with --output-schema",
  })),
  /** For people. */
  error: Type.Optional(Type.Object({
    kind: text,
    message: text,
  }, { description: "Of a run that did not complete" })),
  sessionId: text,
  session: Type.Object({ file: Type.Optional(text), stored: flag }, {
    description: "Where the session is, and whether all of this run is there",
  }),
  cwd: text,
  model: Type.String({
    description: "provider/id; empty when no model was chosen",
  }),
  turns: count,
  toolCalls: count,
  /** Calls whose result was an error. */
  failedToolCalls: count,
  usage,
  durationMs: count,
  sandbox,
  capabilities,
  /** Kernels that ended before they should, the first twenty of them; absent when there were none. */
  kernels: Type.Optional(Type.Array(
    Type.Object({
      reason: text,
      /** The plugin whose code it was in, as it said itself. */
      blamed: Type.Optional(text),
      /** Tools whose calls were open. */
      openCalls: Type.Array(text),
    }),
    { description: "Kernels that ended before they should" },
  )),
  /** Absent when nothing changed. */
  controlFiles: Type.Optional(controlFiles),
}, { $id: "Result", title: "The result record of a tau run" });

/** The terminal record: one a run, whatever happened. */
export type RunResult = Static<typeof runResultSchema>;

/** Outcome of one probe. */
export type ProbeOutcome = Static<typeof probeOutcome>;

/** One ring's probes. */
export type RingProbes = Static<typeof ringProbes>;

/** Probes of a kernel, by ring. */
export type ProbeReport = Record<keyof typeof rings, RingProbes>;

/** Sandbox of a run, as its record tells it. */
export type SandboxReport = Static<typeof sandbox>;

/** Roots, network and variables that a run was given. */
export type GrantedCapabilities = Static<typeof granted>;

/** Counts of refused paths. */
export type RefusedCounts = Static<typeof attempted>;

/** Purpose for which a path was refused. */
export type RefusedAccess = keyof RefusedCounts;

/** Calls that a rule kept from being made. */
export type DeniedCalls = Static<typeof deniedCalls>;

/** Grants of a run, and its refusals. */
export type CapabilityReport = Static<typeof capabilities>;

/** Kernels that ended before they should. */
export type KernelDeaths = NonNullable<RunResult["kernels"]>;

/** Changes of control files. */
export type ControlFileReport = Static<typeof controlFiles>;
