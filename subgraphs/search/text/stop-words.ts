/** Stop words, which are neither indexed nor searched for. */
const WORDS = `
  a about above all also an and any are as at be because been before being below between both but by can could did do does
  doing down during each either few for from further had has have having he her here hers him his how i if in into is it
  its itself may me might more most must my neither nor not of off on once only or other our ours out over own same she
  s should so some such than that the their theirs them then there these they this those through thus to too under until
  up upon us very via was we were what when where whether which while who whom whose why will with within without would
  you your yours allow allows used uses using
`;

const LONGEST = 8;

const hashOf = (word: Uint8Array, length: number): number => {
  let hash = length;
  for (let i = 0; i < length; i++) hash = (Math.imul(hash, 31) + (word[i] ?? 0)) | 0;
  return hash;
};

const words = WORDS.trim()
  .split(/\s+/)
  .filter((word) => word.length <= LONGEST);

// A table of 2,048 places: a word is a stop word if the word at its place, or at one after it, is the same.
const PLACES = 2_048;
const table: (Uint8Array | undefined)[] = Array.from({ length: PLACES });
for (const word of words) {
  const bytes = new TextEncoder().encode(word);
  let place = hashOf(bytes, bytes.length) & (PLACES - 1);
  while (table[place]) place = (place + 1) & (PLACES - 1);
  table[place] = bytes;
}

const isSame = (known: Uint8Array, word: Uint8Array, length: number): boolean => {
  if (known.length !== length) return false;
  for (let i = 0; i < length; i++) if (known[i] !== word[i]) return false;
  return true;
};

export const isStopWord = (word: Uint8Array, length: number): boolean => {
  if (length > LONGEST) return false;
  let place = hashOf(word, length) & (PLACES - 1);
  for (let known = table[place]; known; known = table[place]) {
    if (isSame(known, word, length)) return true;
    place = (place + 1) & (PLACES - 1);
  }
  return false;
};
