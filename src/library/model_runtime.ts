import { chooseModel } from "../host/choose_model.ts";
import { knownProviders } from "../host/known_providers.ts";
import { assembleMessage } from "../model/assemble_message.ts";
import { catalogEntry, isCatalogued } from "../model/catalog.ts";
import type { Model } from "../model/model.ts";
import { ModelError } from "../model/model_error.ts";
import type { DeltaSource, StreamFn } from "../model/stream.ts";
import { deltaSourceFor } from "../providers/delta_source_for.ts";
import { keyOf, presetAtHome } from "../providers/presets.ts";

/** Settings of a {@linkcode ModelRuntime}. */
export interface ModelRuntimeOptions {
  /** Variables with keys and base URLs. Default: those of the process. */
  env?: Record<string, string>;
  /** Answers in place of the providers; it gets no key. */
  streamFn?: StreamFn;
  /** The model of sessions that name none. Default: that of the first provider that has a key. */
  model?: Model;
}

/** Models of providers, and the way to ask them: keys come from the environment, and go to the provider's own address or the one that the environment names. */
export class ModelRuntime {
  readonly #env: Record<string, string>;
  readonly #options: ModelRuntimeOptions;
  /** Keys of the models that it has given. */
  readonly #keys = new WeakMap<Model, string>();

  /** Reads the environment, and asks nobody. */
  constructor(options: ModelRuntimeOptions = {}) {
    this.#options = options;
    this.#env = options.env ?? Deno.env.toObject();
  }

  /** Makes one. */
  static create(options?: ModelRuntimeOptions): Promise<ModelRuntime> {
    return Promise.resolve(new ModelRuntime(options));
  }

  /** Names of the providers. */
  getProviders(): string[] {
    return knownProviders().map(({ name }) => name);
  }

  /** The model of a provider; undefined where the provider is not known, or makes no such model. A provider on this machine has any. */
  getModel(provider: string, id: string): Model | undefined {
    const known = knownProviders().find(({ name }) => name === provider);
    if (!known) return undefined;
    if (isCatalogued(provider) && !catalogEntry(provider, id)) return undefined;
    return this.#given(`${provider}/${id}`);
  }

  /** The model of sessions that name none. Throws a {@linkcode ModelError} of kind `auth` where there is a key for none. */
  get defaultModel(): Model {
    const { model, streamFn } = this.#options;
    if (model) return model;
    if (!streamFn) return this.#given(undefined);
    throw new ModelError(
      "refused",
      "Name a model: a stream function of your own has none to choose from",
    );
  }

  /** Asks a model. Failures are the last event of the stream. */
  readonly streamSimple: StreamFn = (model, context, options = {}) => {
    const { streamFn } = this.#options;
    if (streamFn) return streamFn(model, context, options);
    const apiKey = options.apiKey ?? this.#keyOf(model);
    const source: DeltaSource = async function* (...request) {
      yield* (await deltaSourceFor(model.api))(...request);
    };
    return assembleMessage(
      model,
      source(model, context, { ...options, ...(apiKey ? { apiKey } : {}) }),
    );
  };

  #given(name: string | undefined): Model {
    const { model, apiKey } = chooseModel(name, this.#env, {
      needsKey: name === undefined,
    });
    const key = apiKey ?? this.#keyOf(model);
    if (key) this.#keys.set(model, key);
    return model;
  }

  #keyOf(model: Model): string | undefined {
    const preset = presetAtHome(model);
    return this.#keys.get(model) ?? (preset && keyOf(preset, this.#env));
  }
}

/** The models that tau knows, with keys from the environment. */
export function builtinModels(options?: ModelRuntimeOptions): ModelRuntime {
  return new ModelRuntime(options);
}
