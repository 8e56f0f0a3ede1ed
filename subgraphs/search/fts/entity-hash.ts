const mix = (value: number): number => {
  const a = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const b = Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return (b ^ (b >>> 16)) >>> 0;
};

/** 64-bit hash of an entity key; a million entities collide in one of thirty million indexes. */
export const entityHash = (key: string): readonly [high: number, low: number] => {
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x5bd1e995);
    low ^= low >>> 15;
  }
  return [mix(high ^ key.length), mix(low)];
};
