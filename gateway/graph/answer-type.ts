/** Media types that the graph answers in, the one for callers without a preference first (GraphQL over HTTP, 4.1). */
export const ANSWER_TYPES = ['application/json', 'application/graphql-response+json'] as const;

type AnswerType = (typeof ANSWER_TYPES)[number];

interface Range {
  readonly name: string;
  readonly quality: number;
  /** Place in the header: of equal wishes the one that was written first holds. */
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

/** The range that decides about a type: the most specific that fits, and the first of equals (RFC 9110 12.5.1). */
const decisive = (type: AnswerType, ranges: readonly Range[]): Range | undefined =>
  ranges
    .filter(({ name }) => name === type || name === 'application/*' || name === '*/*')
    .toSorted((a, b) => specificity(b) - specificity(a) || a.order - b.order)[0];

/** The type that the caller likes best; nothing where it takes none of them. */
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
