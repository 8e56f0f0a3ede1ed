import { type Encoder, normalised } from './encoder.ts';

const DIMENSIONS = 256;
const GRAM = 3;
/** A word weighs more than its trigrams, which match misspellings. */
const WORD_WEIGHT = 1;
const GRAM_WEIGHT = 0.5;

/** FNV-1a of a text's UTF-16 units. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  // The last bits of FNV correlate with each other, so the sign and the index depend on all of them.
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
};

const featuresOf = (text: string): Map<string, number> => {
  const features = new Map<string, number>();
  const note = (feature: string, weight: number): void =>
    void features.set(feature, (features.get(feature) ?? 0) + weight);
  for (const word of text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []) {
    note(word, WORD_WEIGHT);
    const framed = `<${word}>`;
    for (let index = 0; index + GRAM <= framed.length; index++)
      note(`${GRAM}${framed.slice(index, index + GRAM)}`, GRAM_WEIGHT);
  }
  return features;
};

const encodeOne = (text: string): Float32Array => {
  const vector = new Float32Array(DIMENSIONS);
  for (const [feature, weight] of featuresOf(text)) {
    const hash = hashOf(feature);
    const at = hash % DIMENSIONS;
    // A sign of its own keeps features with the same index from adding up.
    vector[at] = (vector[at] ?? 0) + (hash & 0x80000000 ? -1 : 1) * Math.log1p(weight);
  }
  return normalised(vector);
};

/** Encoder by feature hashing of words and their trigrams: needs no model, knows no synonyms, tolerates typos. */
export const hashEncoder: Encoder = {
  dimensions: DIMENSIONS,
  encode: async (texts) => texts.map(encodeOne),
};
