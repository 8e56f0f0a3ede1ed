type Counts = {
  readonly components: number;
  readonly evaluated: number;
  readonly noPurl: number;
  readonly unknownEcosystem: number;
  readonly badVersion: number;
};

const UNEVALUATED = ['noPurl', 'unknownEcosystem', 'badVersion'] as const;

type CoveragePart = 'evaluated' | (typeof UNEVALUATED)[number];

/** Outcomes of the components that occur, the evaluated first; together they are all components. */
export const coverageParts = (counts: Counts): { readonly part: CoveragePart; readonly n: number }[] =>
  (['evaluated', ...UNEVALUATED] as const).map((part) => ({ part, n: counts[part] })).filter(({ n }) => n > 0);

export const unevaluated = ({ components, evaluated }: Counts): number => components - evaluated;
