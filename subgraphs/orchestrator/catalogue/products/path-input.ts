import { Fault, type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { idOf } from '@landfall/kernel/core/ids';
import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { evidenceTypes, separations } from '../../shared/enums.ts';
import { labelsInput, labelsOf } from '../../shared/labels.ts';
import { type Environment, notFound } from '../environments/environment.ts';
import { MAX_ENVIRONMENTS } from '../environments/environments.ts';
import { cycleOf, type Path } from './path.ts';
import { relaxedSettings } from './step-policy.ts';

const step = Type.Object({
  environmentId: idOf('Environment'),
  after: Type.Optional(Type.Array(idOf('Environment'), { maxItems: MAX_ENVIRONMENTS, uniqueItems: true })),
  need: Type.Optional(oneOf('all', 'any')),
  targetLabels: Type.Optional(labelsInput),
  policy: Type.Optional(
    Type.Object({
      requiredApprovals: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
      separationOfDuties: Type.Optional(oneOf(...separations)),
      requiredEvidence: Type.Optional(Type.Array(oneOf(...evidenceTypes), { uniqueItems: true })),
      relaxes: Type.Optional(Type.Boolean()),
    }),
  ),
});

/** Steps of a path as people give them. */
export const pathInput = Type.Array(step, { minItems: 1, maxItems: MAX_ENVIRONMENTS });

export const pathOf = (input: Static<typeof pathInput>): Path =>
  input.map(({ environmentId, after = [], need = 'all', targetLabels = [], policy = {} }, index) => ({
    environmentId,
    after,
    need,
    targetLabels: labelsOf(targetLabels, `steps.${index}.targetLabels`),
    policy,
  }));

const fieldFaults = (path: Path, environments: readonly Environment[]): FieldFault[] => {
  const ids: string[] = path.map(({ environmentId }) => environmentId);
  return path.flatMap(({ environmentId, after, policy }, index): FieldFault[] => {
    const environment = environments.find(({ id }) => id === environmentId);
    const relaxed = environment && !policy.relaxes ? relaxedSettings(environment, policy) : [];
    return [
      ...(ids.indexOf(environmentId) < index
        ? [{ field: `steps.${index}.environmentId`, message: 'is there twice', code: 'VAL_INVALID_VALUE' } as const]
        : []),
      ...after.flatMap((id, nth) =>
        ids.includes(id)
          ? []
          : [
              {
                field: `steps.${index}.after.${nth}`,
                message: 'is no step of this path',
                code: 'VAL_INVALID_VALUE',
              } as const,
            ],
      ),
      ...relaxed.map(
        (setting) =>
          ({
            field: `steps.${index}.policy.${setting}`,
            message: `is less strict than ${environment?.name}; set relaxes to say that this is meant`,
            code: 'VAL_INVALID_VALUE',
          }) as const,
      ),
    ];
  });
};

/**
 * Refuses a path: an unknown environment, a step that is there twice or comes after none of its own, a policy that is less
 * strict than the environment without saying so, a cycle.
 */
export const pathRefusal = (path: Path, environments: readonly Environment[]): Fault | undefined => {
  const unknown = path.find(({ environmentId }) => !environments.some(({ id }) => id === environmentId));
  if (unknown) return notFound(unknown.environmentId);
  const [first, ...others] = fieldFaults(path, environments);
  if (first) return invalid([first, ...others]);
  const cycle = cycleOf(path);
  if (!cycle) return undefined;
  const nameOf = (id: string): string => environments.find((each) => each.id === id)?.name ?? id;
  const [start = ''] = cycle;
  return new Fault(
    'ENV_CIRCULAR_PROMOTION',
    `The path leads in a circle: ${[...cycle, start].map(nameOf).join(' after ')}.`,
    { cycle },
  );
};
