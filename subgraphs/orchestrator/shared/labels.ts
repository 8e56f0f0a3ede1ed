import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { patterned } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';

/** Labels as they are stored: names and values. */
export const labels = Type.Record(Type.String(), Type.String());

export type Labels = Static<typeof labels>;

const part = patterned(
  '^[A-Za-z0-9]([A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?$',
  'may have only letters, digits, dots, underscores, hyphens and slashes, and begins and ends with a letter or digit',
  { minLength: 1, maxLength: 63 },
);

/**
 * Labels as a caller sends them: at most 20 pairs, each name and value of 1 to 63 characters, such as `region` and
 * `eu`.
 */
export const labelsInput = Type.Array(
  Type.Object({
    name: part,
    value: part,
  }),
  { maxItems: 20 },
);

/** Converts labels from the form of an input; throws Fault VAL_INVALID_VALUE when a name is there twice. */
export const labelsOf = (pairs: Static<typeof labelsInput>, field = 'labels'): Labels => {
  const names = pairs.map(({ name }) => name);
  const [first, ...others] = names.flatMap((name, index): FieldFault[] =>
    names.indexOf(name) < index
      ? [{ field: `${field}.${index}.name`, message: 'is given twice', code: 'VAL_INVALID_VALUE' }]
      : [],
  );
  if (first) throw invalid([first, ...others]);
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
};

/** Lists labels by name, in the form of an answer. */
export const listLabels = (input: Labels): { readonly name: string; readonly value: string }[] =>
  Object.entries(input)
    .map(([name, value]) => ({ name, value }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
