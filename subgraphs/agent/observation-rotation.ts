/** Rotates through a list of which a message holds only `max` items: each call continues after the previous one. */
export const createObservationRotation = (max: number) => {
  let next = 0;
  return <T>(all: readonly T[]): T[] => {
    const from = next < all.length ? next : 0;
    next = all.length > max ? (from + max) % all.length : 0;
    return [...all.slice(from), ...all.slice(0, from)].slice(0, max);
  };
};
