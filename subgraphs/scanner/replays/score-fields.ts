/** Parts per million as the API writes them: one correctly rounded division, at most six decimals (proofs 0). */
const decimalOf = (ppm: number): number => ppm / 1_000_000;

interface Factor {
  readonly name: string;
  readonly weight: number;
  readonly raw: number;
  readonly weighted: number;
  readonly source: string;
}

interface Scored {
  readonly scorePpm: number | null;
  readonly factors: readonly Factor[];
}

/** Score and factors as the API writes them (spec 2.4). */
export const scoreFields = ({ scorePpm, factors }: Scored) => ({
  score: scorePpm === null ? null : decimalOf(scorePpm),
  factors: factors.map(({ name, weight, raw, weighted, source }) => ({
    name,
    weight: decimalOf(weight),
    raw: decimalOf(raw),
    weighted: decimalOf(weighted),
    source,
  })),
});
