/** Concatenated terms: term `n` is `bytes[offsets[n]..offsets[n + 1])`. */
interface Terms {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

const SMALL_LIMIT = 12;
/** Number of bytes compared per step; the remaining bits of a key hold an index. */
const STEP = 5;
const SLOT_BITS = 24;
const SLOTS = 1 << SLOT_BITS;
/** Terms that go on being alike are compared from here on. */
const MAX_DEPTH = 500;

const compare = ({ offsets, bytes }: Terms, a: number, b: number, depth: number): number => {
  const [startA, startB] = [offsets[a] ?? 0, offsets[b] ?? 0];
  const [lengthA, lengthB] = [(offsets[a + 1] ?? 0) - startA, (offsets[b + 1] ?? 0) - startB];
  const length = Math.min(lengthA, lengthB);
  for (let i = depth; i < length; i++) {
    const difference = (bytes[startA + i] ?? 0) - (bytes[startB + i] ?? 0);
    if (difference !== 0) return difference;
  }
  return lengthA - lengthB;
};

const insert = (terms: Terms, ids: Uint32Array, depth: number): void => {
  for (let i = 1; i < ids.length; i++) {
    const id = ids[i] ?? 0;
    let at = i;
    while (at > 0 && compare(terms, ids[at - 1] ?? 0, id, depth) > 0) {
      ids[at] = ids[at - 1] ?? 0;
      at--;
    }
    ids[at] = id;
  }
};

/** Sorts the numbers of distinct terms by the bytes of the terms. */
export const sortTerms = (terms: Terms, ids: Uint32Array, depth = 0): void => {
  if (ids.length <= SMALL_LIMIT) insert(terms, ids, depth);
  else if (ids.length > SLOTS || depth > MAX_DEPTH) ids.sort((a, b) => compare(terms, a, b, depth));
  else sortByStep(terms, ids, depth);
};

/** Sorts terms by 64-bit keys of five bytes and an index, without a comparator; equal keys recurse on later bytes. */
const sortByStep = (terms: Terms, ids: Uint32Array, depth: number): void => {
  const halves = sortedKeys(terms, ids, depth);
  const before = ids.slice();
  let from = 0;
  for (let i = 0; i < before.length; i++) {
    const low = halves[i * 2] ?? 0;
    ids[i] = before[low & (SLOTS - 1)] ?? 0;
    const isSame =
      halves[i * 2 + 1] === halves[i * 2 + 3] && low >>> SLOT_BITS === (halves[i * 2 + 2] ?? 0) >>> SLOT_BITS;
    if (isSame) continue;
    if (i > from) sortTerms(terms, ids.subarray(from, i + 1), depth + STEP);
    from = i + 1;
  }
};

/** Keys as pairs of halves, the lower one first, as they lie in memory. What has ended counts as zeros. */
const sortedKeys = ({ offsets, bytes }: Terms, ids: Uint32Array, depth: number): Uint32Array => {
  const keys = new BigUint64Array(ids.length);
  const halves = new Uint32Array(keys.buffer);
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] ?? 0;
    const start = (offsets[id] ?? 0) + depth;
    const end = offsets[id + 1] ?? 0;
    let high = 0;
    for (let at = start; at < start + STEP - 1; at++) high = (high << 8) | (at < end ? (bytes[at] ?? 0) : 0);
    const fifth = start + STEP - 1 < end ? (bytes[start + STEP - 1] ?? 0) : 0;
    halves[i * 2] = (fifth << SLOT_BITS) | i;
    halves[i * 2 + 1] = high;
  }
  keys.sort();
  return halves;
};
