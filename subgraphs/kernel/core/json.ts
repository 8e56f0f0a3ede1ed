/** JSON object whose members are not validated. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Value of a JSON text; undefined for a text that is no JSON. */
export const parseJson = (text: string | Buffer): unknown => {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
};
