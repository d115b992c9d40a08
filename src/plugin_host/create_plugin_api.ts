import { Type } from "@sinclair/typebox";
import { ToolError } from "../agent/tool_error.ts";
import type { JsonValue } from "../model/content.ts";
import { isToolCallEventType } from "../sdk/is_tool_call_event.ts";
import type { PluginAPI, SendOptions } from "../sdk/plugin_api.ts";
import { defineTool } from "../sdk/tool_definition.ts";
import { boundedContent, boundedJson } from "./bounded_result.ts";
import type { EventBus } from "./event_bus.ts";
import type {
  PluginRegistrations,
  RegisteredTool,
} from "./plugin_registrations.ts";
import type { PluginScope } from "./plugin_scope.ts";
import type { PluginServices } from "./plugin_services.ts";

/** Parts of the API of one plugin. */
export interface PluginApiParts {
  scope: PluginScope;
  registrations: PluginRegistrations;
  services: PluginServices;
  bus: EventBus;
  /** Values that the user gave to flags, by their names. */
  flagValues: ReadonlyMap<string, boolean | string>;
  /** Registrations of a plugin that is loaded count at once. */
  onLateTool(tool: RegisteredTool): void;
  onLateWarning(warning: { during: string; message: string }): void;
  onChange(): void;
  /** A call that promises has failed; whether anybody awaits it is not known. */
  onRejected(error: unknown): void;
}

const MAX_CUSTOM_TYPE = 100;

/** Makes the API that a plugin's function is called with. */
export function createPluginApi(parts: PluginApiParts): PluginAPI {
  const { scope, registrations, services, bus, flagValues } = parts;
  const { session, factories } = services;
  /** A member that acts on the session: not before the plugin is loaded. */
  const action = <Args extends unknown[], Value>(
    act: (...args: Args) => Value,
  ) =>
  (...args: Args): Value => {
    scope.assertReady();
    return act(...args);
  };
  /** A member that promises: what is wrong rejects. */
  const promised = <Args extends unknown[], Value>(
    act: (...args: Args) => Promise<Value>,
  ) =>
  async (...args: Args): Promise<Value> => {
    try {
      scope.assertReady();
      return await act(...args);
    } catch (error) {
      parts.onRejected(error);
      throw error;
    }
  };
  /** Tells at once what a registration has to warn of, when the plugin's function has returned. */
  const registering = <Value>(during: string, register: () => Value): Value => {
    scope.assertAlive();
    const known = registrations.warnings.length;
    const value = register();
    if (scope.isReady) {
      for (const message of registrations.warnings.slice(known)) {
        parts.onLateWarning({ during, message });
      }
    }
    return value;
  };
  /** Leaves out a way that there is not; the message is sent all the same. */
  const sendOptions = (
    during: string,
    { deliverAs }: SendOptions,
  ): SendOptions => {
    if (deliverAs === undefined) return {};
    if (deliverAs === "steer" || deliverAs === "followUp") return { deliverAs };
    const message =
      `deliverAs is "steer" or "followUp"; the message is sent as "steer"`;
    parts.onLateWarning({ during, message });
    return {};
  };

  const api: PluginAPI = {
    Type,
    defineTool,
    isToolCallEventType,
    events: bus.for(scope),
    ...factories,
    on(event, handler) {
      registering("on", () => registrations.addHandler(event, handler));
      parts.onChange();
    },
    registerTool(definition, options) {
      const isOverride = options?.override === true;
      const tool = registering(
        "registerTool",
        () => registrations.addTool(definition, isOverride),
      );
      if (tool && scope.isReady) parts.onLateTool(tool);
    },
    registerCommand(name, command) {
      registering(
        "registerCommand",
        () => registrations.addCommand(name, command),
      );
      parts.onChange();
    },
    registerFlag(name, flag) {
      registering("registerFlag", () => registrations.addFlag(name, flag));
    },
    getFlag(name) {
      scope.assertAlive();
      const flag = registrations.flags.get(name);
      if (!flag) return undefined;
      const value = flagValues.get(name);
      const { type, default: byDefault } = flag;
      const fits = type === "string"
        ? typeof value === "string"
        : typeof value === "boolean";
      return fits ? value : byDefault;
    },
    getActiveTools: action(() => session.activeTools()),
    setActiveTools: action((names) => {
      if (!Array.isArray(names)) {
        throw new TypeError("setActiveTools needs a list of names");
      }
      session.setActiveTools(names.map(String));
    }),
    getAllTools: action(() => session.allTools()),
    sendMessage: action((message, options = {}) => {
      const { content, details, display = true } = message;
      const json = boundedJson(details, { what: "details" });
      session.sendMessage({
        customType: customType(message.customType),
        content: typeof content === "string"
          ? content
          : boundedContent(content),
        display: display === true,
        ...(json === undefined ? {} : { details: json }),
      }, sendOptions("sendMessage", options));
    }),
    sendUserMessage: action((content, options = {}) => {
      session.sendUserMessage(
        typeof content === "string" ? content : boundedContent(content),
        sendOptions("sendUserMessage", options),
      );
    }),
    appendEntry: action((type, data) => {
      session.appendEntry(
        customType(type),
        boundedJson(data, { what: "data" }) as JsonValue | undefined,
      );
    }),
    exec: promised((command, args, options = {}) => {
      if (!Array.isArray(args)) {
        throw new TypeError("exec needs a program and a list of arguments");
      }
      return services.exec(String(command), args.map(String), options);
    }),
    fetch: promised((url, options = {}) =>
      services.fetch(String(url), options)
    ),
    withFileMutationQueue<Value>(path: string, change: () => Promise<Value>) {
      return promised(() =>
        services.withFileMutationQueue(String(path), change)
      )();
    },
  };
  return Object.freeze(api);
}

function customType(value: unknown): string {
  if (
    typeof value === "string" && value !== "" &&
    value.length <= MAX_CUSTOM_TYPE
  ) return value;
  throw new ToolError(
    `customType is a text of 1 to ${MAX_CUSTOM_TYPE} characters, got ${
      JSON.stringify(value)
    }`,
  );
}
