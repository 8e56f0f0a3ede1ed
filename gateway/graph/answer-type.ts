/** Media types of the graph's answers, default first (GraphQL over HTTP, 4.1). */
export const ANSWER_TYPES = ['application/json', 'application/graphql-response+json'] as const;

type AnswerType = (typeof ANSWER_TYPES)[number];

interface Range {
  readonly name: string;
  readonly quality: number;
  /** Position in the header: of equal preferences the first one counts. */
  readonly order: number;
}

const SPECIFICITY: Readonly<Record<string, number>> = { '*/*': 1, 'application/*': 2 };

const rangesOf = (accept: string): Range[] =>
  accept.split(',').flatMap((written, order) => {
    const [name = '', ...parameters] = written.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    const quality = Number(weight);
    return name === '' || Number.isNaN(quality) ? [] : [{ name, quality, order }];
  });

const specificity = ({ name }: Range): number => SPECIFICITY[name] ?? 3;

/** Range that decides about a type: the most specific match, and the first of equals (RFC 9110 12.5.1). */
const decisive = (type: AnswerType, ranges: readonly Range[]): Range | undefined =>
  ranges
    .filter(({ name }) => name === type || name === 'application/*' || name === '*/*')
    .toSorted((a, b) => specificity(b) - specificity(a) || a.order - b.order)[0];

/** Media type that the caller prefers; undefined if it accepts none. */
export const answerType = (accept: string | undefined): AnswerType | undefined => {
  if (accept === undefined || accept.trim() === '') return ANSWER_TYPES[0];
  const ranges = rangesOf(accept);
  const [best] = ANSWER_TYPES.flatMap((type) => {
    const range = decisive(type, ranges);
    return range && range.quality > 0 ? [{ type, range }] : [];
  }).toSorted(
    (a, b) =>
      b.range.quality - a.range.quality || specificity(b.range) - specificity(a.range) || a.range.order - b.range.order,
  );
  return best?.type;
};
