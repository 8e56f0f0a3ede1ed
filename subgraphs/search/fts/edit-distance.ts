/**
 * Decodes the units of a term's bytes as the analyser wrote them (text/analyser.ts).
 * @returns the number of units
 */
export const unitsOf = (bytes: Uint8Array, start: number, end: number, into: Uint16Array): number => {
  let length = 0;
  for (let at = start; at < end && length < into.length; ) {
    const first = bytes[at] ?? 0;
    const next = bytes[at + 1] ?? 0;
    if (first < 0x80) {
      into[length++] = first;
      at += 1;
    } else if (first < 0xe0) {
      into[length++] = ((first & 31) << 6) | (next & 63);
      at += 2;
    } else {
      into[length++] = ((first & 15) << 12) | ((next & 63) << 6) | ((bytes[at + 2] ?? 0) & 63);
      at += 3;
    }
  }
  return length;
};

/** Checks that two words are within a Damerau-Levenshtein distance of one. */
export const isOneEdit = (a: Uint16Array, lengthA: number, b: Uint16Array, lengthB: number): boolean => {
  if (Math.abs(lengthA - lengthB) > 1) return false;
  const shorter = Math.min(lengthA, lengthB);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let tail = 0;
  while (tail < shorter - start && a[lengthA - 1 - tail] === b[lengthB - 1 - tail]) tail++;
  const leftA = lengthA - start - tail;
  const leftB = lengthB - start - tail;
  if (leftA <= 1 && leftB <= 1) return true;
  return leftA === 2 && leftB === 2 && a[start] === b[start + 1] && a[start + 1] === b[start];
};
