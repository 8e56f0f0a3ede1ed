import { cpuOf, treeOf } from './processes.ts';
import { median, quantile } from './statistics.ts';

/** Work done, by wall-clock and processor time. */
interface Rate {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** Contender of a comparison. */
export interface Candidate {
  /** Does the work once. */
  readonly once: () => Promise<unknown>;
  /** Processes whose processor time counts; by default this process and its children. */
  readonly processes?: readonly number[];
}

interface RoundOptions {
  readonly callers: number;
  readonly rounds: number;
  readonly roundMs: number;
}

/** Rounds before the measurement. */
const WARM_UP = 8;

const cpuOfAll = async (pids: readonly number[]): Promise<number> =>
  (await Promise.all(pids.map(cpuOf))).reduce((sum, time) => sum + time, 0);

const run = async ({ once, processes }: Candidate, { callers, roundMs }: RoundOptions): Promise<Rate> => {
  const pids = processes ?? (await treeOf(process.pid)).map(({ pid }) => pid);
  const cpuBefore = await cpuOfAll(pids);
  const startedMs = performance.now();
  const end = startedMs + roundMs;
  let count = 0;
  const work = async (): Promise<void> => {
    for (; performance.now() < end; count++) await once();
  };
  await Promise.all(Array.from({ length: callers }, work));
  const seconds = (performance.now() - startedMs) / 1_000;
  const cpuSeconds = ((await cpuOfAll(pids)) - cpuBefore) / 1_000;
  return { perSecond: count / seconds, perCpuSecond: count / cpuSeconds };
};

const each = (rates: readonly Rate[], choose: (values: readonly number[]) => number): Rate => ({
  perSecond: choose(rates.map(({ perSecond }) => perSecond)),
  perCpuSecond: choose(rates.map(({ perCpuSecond }) => perCpuSecond)),
});

const middle = (rates: readonly Rate[]): Rate => each(rates, median);

/**
 * Measures one contender alone.
 * @returns the median of its rounds
 */
export const measure = async (engine: Candidate, options: RoundOptions): Promise<Rate> => {
  const rates: Rate[] = [];
  for (let round = 0; round < WARM_UP + options.rounds; round++) rates.push(await run(engine, options));
  return middle(rates.slice(WARM_UP));
};

/** Rates of two contenders, and the median ratio of neighbouring rounds. */
export interface Comparison {
  readonly ours: Rate;
  readonly bare: Rate;
  readonly ratio: Rate;
  /** Quartiles of those ratios. */
  readonly spread: { readonly low: Rate; readonly high: Rate };
}

/**
 * Measures the product and its bare counterpart in short alternating turns, so that disturbances of the machine affect
 * both; the order changes with each round.
 */
export const compare = async (own: Candidate, peer: Candidate, options: RoundOptions): Promise<Comparison> => {
  const rates: { ours: Rate; bare: Rate }[] = [];
  for (let round = 0; round < WARM_UP + options.rounds; round++) {
    const first = await run(round % 2 === 0 ? own : peer, options);
    const second = await run(round % 2 === 0 ? peer : own, options);
    rates.push(round % 2 === 0 ? { ours: first, bare: second } : { ours: second, bare: first });
  }
  const counted = rates.slice(WARM_UP);
  const ratios = counted.map(
    (rate): Rate => ({
      perSecond: rate.ours.perSecond / rate.bare.perSecond,
      perCpuSecond: rate.ours.perCpuSecond / rate.bare.perCpuSecond,
    }),
  );
  return {
    ours: middle(counted.map((rate) => rate.ours)),
    bare: middle(counted.map((rate) => rate.bare)),
    ratio: middle(ratios),
    spread: {
      low: each(ratios, (values) => quantile(values, 0.25)),
      high: each(ratios, (values) => quantile(values, 0.75)),
    },
  };
};
