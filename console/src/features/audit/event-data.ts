type DataField = { readonly name: string; readonly value: string };

/** Data of an event as names and values, nested ones by their path; other text is one value without a name. */
export function dataFields(data: string): DataField[] {
  try {
    return flat('', JSON.parse(data));
  } catch {
    return data === '' ? [] : [{ name: '', value: data }];
  }
}

function flat(path: string, value: unknown): DataField[] {
  if (typeof value !== 'object' || value === null) return [{ name: path, value: String(value) }];
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return value.length === 0 ? [] : [{ name: path, value: value.join(', ') }];
  return Object.entries(value).flatMap(([name, inner]) => flat(path === '' ? name : `${path}.${name}`, inner));
}

/** Last characters of an id or a digest, because ids of one day share their first ones. Other text is unchanged. */
export const shortenId = (word: string): string =>
  /^(sha256:)?[\da-f-]{32,}$/.test(word) ? `…${word.slice(-8)}` : word;

export const dataSummary = (fields: readonly DataField[]): string =>
  fields
    .filter(({ value }) => value !== 'null')
    .slice(0, 3)
    .map(({ name, value }) => (name === '' ? shortenId(value) : `${name}: ${shortenId(value)}`))
    .join(' · ')
    .slice(0, 120);

/** Instant of a day-and-time input, read as UTC: `2026-11-22T08:00`. Undefined when invalid. */
export function instantOf(text: string): string | undefined {
  const at = new Date(`${text}Z`);
  return text === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

export function inputOf(instant: string | undefined): string {
  const at = new Date(instant ?? '');
  return Number.isNaN(at.getTime()) ? '' : at.toISOString().slice(0, 16);
}
