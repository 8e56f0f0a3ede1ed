import { createHash } from 'node:crypto';
import type { Sample } from './quality-gate.ts';

const MOST = 60;

interface Kept extends Sample {
  readonly place: string;
}

/** Deterministic sample of documents, independent of their order. */
export interface Samples {
  offer(sample: Sample): void;
  list(): readonly Sample[];
}

export const createSamples = (): Samples => {
  let kept: Kept[] = [];
  return {
    offer(sample) {
      const place = createHash('sha256').update(`${sample.entityKey}\0${sample.title}`).digest('hex');
      if (kept.length >= MOST && place >= (kept.at(-1)?.place ?? '')) return;
      kept = [...kept.filter((each) => each.place !== place), { ...sample, place }]
        .sort((a, b) => (a.place < b.place ? -1 : 1))
        .slice(0, MOST);
    },
    list: () => kept,
  };
};
