/**
 * A tool as complete as tools get: typed details, progress, cancellation, an
 * error that the model can mend, and lines for the terminal.
 *
 *     tau --plugin plugins/get_weather.ts "What is the weather in Oslo?"
 *
 * It answers from a small table, or asks a server that is named and granted,
 * with `?city=Oslo` behind its address, for JSON:
 *
 *     tau --plugin plugins/get_weather.ts --allow-net=example.org \
 *       --plugin-flag weather_url=https://example.org/weather
 */
import {
  defineTool,
  type PluginAPI,
  type ToolDefinition,
  ToolError,
  Type,
} from "tau";

/** What the tool knows of a city. */
export interface Weather {
  city: string;
  celsius: number;
  sky: string;
}

/** Where the weather comes from; undefined for a city that is not known. */
export type WeatherSource = (
  city: string,
  signal: AbortSignal | undefined,
) => Promise<Weather | undefined>;

const TABLE: Record<string, Weather> = {
  cairo: { city: "Cairo", celsius: 31, sky: "clear" },
  lima: { city: "Lima", celsius: 18, sky: "cloudy" },
  oslo: { city: "Oslo", celsius: -3, sky: "snow" },
};

const parameters = Type.Object({
  city: Type.String({
    description: "Name of the city, in English",
    minLength: 1,
    maxLength: 100,
  }),
});

const outputSchema = Type.Object({
  city: Type.String(),
  celsius: Type.Number(),
  sky: Type.String(),
});

/** The tool, over a source of one's own. */
export function createGetWeatherTool(
  lookUp: WeatherSource = fromTable,
): ToolDefinition<typeof parameters, Weather | undefined> {
  return defineTool({
    name: "get_weather",
    label: "Weather",
    description: "Says what the weather is like in a city now.",
    promptSnippet: "Look up the weather in a city",
    parameters,
    outputSchema,
    async execute(_toolCallId, { city }, signal, onUpdate) {
      signal?.throwIfAborted();
      onUpdate?.({ content: [{ type: "text", text: `Asking for ${city}` }] });
      const weather = await lookUp(city, signal);
      if (!weather) {
        // The model reads this and can try again.
        throw new ToolError(
          `Nobody knows the weather in ${JSON.stringify(city)}; known are ${
            Object.values(TABLE).map((known) => known.city).join(", ")
          }`,
        );
      }
      return {
        content: [{ type: "text", text: sentence(weather) }],
        details: weather,
        structuredContent: { ...weather },
      };
    },
    renderCall: ({ city = "" }, theme) => [theme.bold(`weather ${city}`)],
    renderResult: ({ details }, _options, theme) =>
      details ? [theme.fg("muted", sentence(details))] : [],
  });
}

export default function (tau: PluginAPI): void {
  tau.registerFlag("weather_url", {
    type: "string",
    description: "server that is asked for the weather",
  });
  const url = tau.getFlag("weather_url");
  tau.registerTool(
    createGetWeatherTool(
      typeof url === "string" ? fromServer(tau, url) : fromTable,
    ),
  );
}

function sentence({ city, celsius, sky }: Weather): string {
  return `${city}: ${celsius} °C, ${sky}`;
}

function fromTable(city: string): Promise<Weather | undefined> {
  const name = city.trim().toLowerCase();
  return Promise.resolve(Object.hasOwn(TABLE, name) ? TABLE[name] : undefined);
}

function fromServer(tau: PluginAPI, url: string): WeatherSource {
  return async (city, signal) => {
    const answer = await tau.fetch(`${url}?city=${encodeURIComponent(city)}`, {
      ...(signal ? { signal } : {}),
      timeoutMs: 10_000,
    });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) {
      throw new ToolError(`The weather server answered ${answer.status}`);
    }
    return readWeather(JSON.parse(answer.text()));
  };
}

/** What a server says is not known to be right until it was looked at. */
function readWeather(value: unknown): Weather {
  const { city, celsius, sky } = Object(value) as Record<string, unknown>;
  if (
    typeof city !== "string" || typeof celsius !== "number" ||
    typeof sky !== "string"
  ) throw new ToolError("The weather server answered something else");
  return { city, celsius, sky };
}
