/** Hexadecimal part of `sha256:…`. */
export const hex = (digest: string): string => digest.slice(digest.indexOf(':') + 1);

/** Index of the first hexadecimal character in which two digests differ; undefined when they are equal. */
export function firstDifference(digest: string, other: string): number | undefined {
  const [a, b] = [hex(digest), hex(other)];
  for (let index = 0; index < Math.max(a.length, b.length); index++) if (a[index] !== b[index]) return index;
  return undefined;
}

/** Short form of a digest: eight characters, moved to the first difference if there is one, and the last four. */
export function shortenDigest(
  digest: string,
  mark: number | undefined,
): { lead: boolean; head: string; mark: number | undefined; tail: string } {
  const id = hex(digest);
  const start = mark === undefined || mark < 8 ? 0 : Math.min(mark - 3, id.length - 8);
  return {
    lead: start > 0,
    head: id.slice(start, start + 8),
    mark: mark === undefined ? undefined : mark - start,
    tail: id.slice(-4),
  };
}

/** Digest that a text means, with or without its algorithm; undefined for another text. */
export const digestOf = (text: string): string | undefined =>
  /^(?:sha256:)?[0-9a-f]{64}$/.test(text) ? `sha256:${hex(text)}` : undefined;
