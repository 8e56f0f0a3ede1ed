import Type, { type Static } from 'typebox';

const figure = Type.Object({
  bench: Type.String(),
  metric: Type.String(),
  value: Type.Number(),
  unit: Type.String(),
  /** Goal of the figure; absent for comparisons. */
  goal: Type.Optional(Type.Object({ atMost: Type.Optional(Type.Number()), atLeast: Type.Optional(Type.Number()) })),
});

/** Measured number: a line of JSON on standard output, since each bench is a separate program. */
export type Figure = Static<typeof figure>;

export const figureSchema = figure;

type Verdict = 'met' | 'missed' | '';

/** Decides whether a figure meets its goal; undefined without a goal. */
export const verdictOf = ({ value, goal }: Figure): Verdict => {
  if (!goal) return '';
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = goal;
  return value <= atMost && value >= atLeast ? 'met' : 'missed';
};

const rounded = (value: number): number => Number(value.toPrecision(4));

/** Creates the report of one bench, which prints its figures. */
export const createReport = (bench: string) => ({
  tell(metric: string, value: number, unit: string, goal?: Figure['goal']): void {
    const figure: Figure = { bench, metric, value: rounded(value), unit, ...(goal && { goal }) };
    process.stdout.write(`${JSON.stringify(figure)}\n`);
  },
});
