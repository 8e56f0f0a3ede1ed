/** Stop words, which are neither indexed nor searched for. */
const WORDS = `
  a about above all also an and any are as at be because been before being below between both but by can could did do does
  doing down during each either few for from further had has have having he her here hers him his how i if in into is it
  its itself may me might more most must my neither nor not of off on once only or other our ours out over own same she
  s should so some such than that the their theirs them then there these they this those through thus to too under until
  up upon us very via was we were what when where whether which while who whom whose why will with within without would
  you your yours allow allows used uses using
`;

const MAX_LENGTH = 8;

const hashOf = (word: Uint8Array, length: number): number => {
  let hash = length;
  for (let i = 0; i < length; i++) hash = (Math.imul(hash, 31) + (word[i] ?? 0)) | 0;
  return hash;
};

const words = WORDS.trim()
  .split(/\s+/)
  .filter((word) => word.length <= MAX_LENGTH);

// A table of 2,048 slots: a word is a stop word if the word in its slot, or in one after it, is the same.
const SLOTS = 2_048;
const table: (Uint8Array | undefined)[] = Array.from({ length: SLOTS });
for (const word of words) {
  const bytes = new TextEncoder().encode(word);
  let slot = hashOf(bytes, bytes.length) & (SLOTS - 1);
  while (table[slot]) slot = (slot + 1) & (SLOTS - 1);
  table[slot] = bytes;
}

const isSame = (known: Uint8Array, word: Uint8Array, length: number): boolean => {
  if (known.length !== length) return false;
  for (let i = 0; i < length; i++) if (known[i] !== word[i]) return false;
  return true;
};

export const isStopWord = (word: Uint8Array, length: number): boolean => {
  if (length > MAX_LENGTH) return false;
  let slot = hashOf(word, length) & (SLOTS - 1);
  for (let known = table[slot]; known; known = table[slot]) {
    if (isSame(known, word, length)) return true;
    slot = (slot + 1) & (SLOTS - 1);
  }
  return false;
};
