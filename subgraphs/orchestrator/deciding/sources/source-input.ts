import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { REPOSITORY_PATTERN, REPOSITORY_REFUSAL } from '@landfall/kernel/oci/repository';
import { oneOf, patterned } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import type { Product } from '../../catalogue/products/product.ts';
import { undeclaredMessage } from '../../catalogue/products/product-rules.ts';
import { expressionProblem, MAX_EXPRESSION, type Selection } from './selection.ts';
import { policies, versionSchemes } from './sources.store.ts';

const expression = Type.String({ minLength: 1, maxLength: MAX_EXPRESSION });

/** Selection rule as a caller sends it: one of a range, a pattern and a tag. */
export const selectionInput = Type.Object({
  range: Type.Optional(expression),
  includePrereleases: Type.Optional(Type.Boolean()),
  pattern: Type.Optional(expression),
  tag: Type.Optional(expression),
});

/** Settings of a source that have defaults. */
export const settingsInput = {
  repository: Type.Optional(patterned(REPOSITORY_PATTERN, REPOSITORY_REFUSAL, { minLength: 1, maxLength: 400 })),
  isEnabled: Type.Optional(Type.Boolean()),
  policy: Type.Optional(oneOf(...policies)),
  versionScheme: Type.Optional(oneOf(...versionSchemes)),
  debounceSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600 })),
  intervalSeconds: Type.Optional(Type.Integer({ minimum: 10, maximum: 86_400 })),
};

/** Defaults of a source's settings. */
export const defaults = {
  isEnabled: true,
  policy: 'draft',
  versionScheme: 'image',
  debounceSeconds: 120,
  intervalSeconds: 60,
} as const;

const faultOf = (field: string, message: string): FieldFault => ({
  field: `selection.${field}`,
  message,
  code: 'VAL_INVALID_VALUE',
});

const ruleOf = ({ range, includePrereleases = false, pattern, tag }: Static<typeof selectionInput>): Selection[] => [
  ...(range === undefined ? [] : [{ kind: 'semver' as const, range, includePrereleases }]),
  ...(pattern === undefined ? [] : [{ kind: 'build' as const, pattern }]),
  ...(tag === undefined ? [] : [{ kind: 'tag' as const, tag }]),
];

const fields = { semver: 'range', build: 'pattern', tag: 'tag' } as const;

/**
 * Converts the input of a selection.
 * @throws Fault VAL_REQUIRED_FIELD without a rule, VAL_INVALID_VALUE with more than one or a malformed expression
 */
export const selectionOf = (input: Static<typeof selectionInput>): Selection => {
  const [rule, other] = ruleOf(input);
  if (!rule)
    throw invalid([
      { field: 'selection.range', message: 'or a pattern or a tag is required', code: 'VAL_REQUIRED_FIELD' },
    ]);
  if (other) throw invalid([faultOf(fields[other.kind], `does not go with ${fields[rule.kind]}`)]);
  const problem = expressionProblem(rule);
  if (problem !== undefined) throw invalid([faultOf(fields[rule.kind], problem)]);
  return rule;
};

/**
 * Repository of a source: the one that the product declares for the component, or the given one.
 * @throws Fault VAL_INVALID_VALUE, VAL_REQUIRED_FIELD
 */
export const repositoryOf = (
  { name, components }: Pick<Product, 'name' | 'components'>,
  component: string,
  input: string | undefined,
): string => {
  if (components === null) {
    if (input !== undefined) return input;
    throw invalid([
      { field: 'repository', message: `is required: ${name} declares no components`, code: 'VAL_REQUIRED_FIELD' },
    ]);
  }
  const declared = components.find((each) => each.name === component);
  if (!declared)
    throw invalid([
      {
        field: 'component',
        message: undeclaredMessage({ name }, components),
        code: 'VAL_INVALID_VALUE',
      },
    ]);
  if (input !== undefined && input !== declared.repository)
    throw invalid([
      { field: 'repository', message: `is ${declared.repository} in ${name}`, code: 'VAL_INVALID_VALUE' },
    ]);
  return declared.repository;
};
