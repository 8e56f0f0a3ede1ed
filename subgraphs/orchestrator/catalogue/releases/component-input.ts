import { MAX_COMPONENTS } from '@landfall/agent/protocol/limits';
import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { REPOSITORY_PATTERN, REPOSITORY_REFUSAL, TAG_PATTERN, TAG_REFUSAL } from '@landfall/kernel/oci/repository';
import { digest, patterned } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { componentName } from '../../shared/input.ts';
import type { ComponentSpec } from './components.store.ts';

export const componentInput = Type.Object({
  name: componentName,
  repository: patterned(REPOSITORY_PATTERN, REPOSITORY_REFUSAL, { minLength: 1, maxLength: 400 }),
  tag: Type.Optional(patterned(TAG_PATTERN, TAG_REFUSAL, { minLength: 1, maxLength: 128 })),
  digest: Type.Optional(digest),
  dependsOn: Type.Optional(Type.Array(componentName, { maxItems: MAX_COMPONENTS, uniqueItems: true })),
});

type ComponentInput = Static<typeof componentInput>;

const specOf = ({ name, repository, tag, digest: declared, dependsOn }: ComponentInput): ComponentSpec => ({
  name,
  repository,
  requestedTag: tag ?? null,
  digest: declared ?? null,
  dependsOn: dependsOn ?? [],
});

const faultsOf = (input: ComponentInput, field: string): FieldFault[] =>
  input.tag === undefined && input.digest === undefined
    ? [{ field: `${field}.tag`, message: 'or a digest is required', code: 'VAL_REQUIRED_FIELD' }]
    : [];

const raise = ([first, ...others]: readonly FieldFault[]): void => {
  if (first) throw invalid([first, ...others]);
};

/** Converts the input of a component; throws Fault VAL_REQUIRED_FIELD when it has neither tag nor digest. */
export const componentOf = (input: ComponentInput): ComponentSpec => {
  raise(faultsOf(input, 'component'));
  return specOf(input);
};

/** Converts the input of components; throws Fault VAL_REQUIRED_FIELD, or VAL_INVALID_VALUE for a name used twice. */
export const componentsOf = (inputs: readonly ComponentInput[]): ComponentSpec[] => {
  const names = inputs.map(({ name }) => name);
  raise(
    inputs.flatMap((input, index) => [
      ...(names.indexOf(input.name) < index
        ? [{ field: `components.${index}.name`, message: 'is there twice', code: 'VAL_INVALID_VALUE' } as const]
        : []),
      ...faultsOf(input, `components.${index}`),
    ]),
  );
  return inputs.map(specOf);
};
