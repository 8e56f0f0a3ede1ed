import { createHash } from 'node:crypto';
import type { Sample } from './quality-gate.ts';

const MAX = 60;

interface KeyedSample extends Sample {
  readonly place: string;
}

/** Deterministic sample of documents, independent of their order. */
export const createSamples = () => {
  let samples: KeyedSample[] = [];
  return {
    offer(sample: Sample): void {
      const hash = createHash('sha256').update(`${sample.entityKey}\0${sample.title}`).digest('hex');
      if (samples.length >= MAX && hash >= (samples.at(-1)?.place ?? '')) return;
      samples = [...samples.filter((each) => each.place !== hash), { ...sample, place: hash }]
        .sort((a, b) => (a.place < b.place ? -1 : 1))
        .slice(0, MAX);
    },
    list: (): readonly Sample[] => samples,
  };
};

export type Samples = ReturnType<typeof createSamples>;
