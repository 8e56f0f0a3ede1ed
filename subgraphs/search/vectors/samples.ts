import { createHash } from 'node:crypto';
import type { Sample } from './quality-gate.ts';

const MOST = 60;

interface KeyedSample extends Sample {
  readonly place: string;
}

/** Deterministic sample of documents, independent of their order. */
export const createSamples = () => {
  let kept: KeyedSample[] = [];
  return {
    offer(sample: Sample): void {
      const hash = createHash('sha256').update(`${sample.entityKey}\0${sample.title}`).digest('hex');
      if (kept.length >= MOST && hash >= (kept.at(-1)?.place ?? '')) return;
      kept = [...kept.filter((each) => each.place !== hash), { ...sample, place: hash }]
        .sort((a, b) => (a.place < b.place ? -1 : 1))
        .slice(0, MOST);
    },
    list: (): readonly Sample[] => kept,
  };
};

export type Samples = ReturnType<typeof createSamples>;
