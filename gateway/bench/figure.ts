import Type, { type Static } from 'typebox';

const figure = Type.Object({
  bench: Type.String(),
  metric: Type.String(),
  value: Type.Number(),
  unit: Type.String(),
  /** Goal of the figure; a figure without one is for comparison. */
  goal: Type.Optional(Type.Object({ atMost: Type.Optional(Type.Number()), atLeast: Type.Optional(Type.Number()) })),
});

/** One measured number: a line of JSON on standard output, since each bench is a program of its own. */
export type Figure = Static<typeof figure>;

export const figureSchema = figure;

type Verdict = 'met' | 'missed' | '';

/** Whether a figure meets its goal; nothing where it has none. */
export const verdictOf = ({ value, goal }: Figure): Verdict => {
  if (!goal) return '';
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = goal;
  return value <= atMost && value >= atLeast ? 'met' : 'missed';
};

const rounded = (value: number): number => Number(value.toPrecision(4));

/** Prints the figures of one bench. */
export const createReport = (bench: string) => ({
  tell(metric: string, value: number, unit: string, goal?: Figure['goal']): void {
    const told: Figure = { bench, metric, value: rounded(value), unit, ...(goal && { goal }) };
    process.stdout.write(`${JSON.stringify(told)}\n`);
  },
});
