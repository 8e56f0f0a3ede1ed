import { parseReference } from '../../shared/secret-reference.ts';
import type { Target } from '../targets/target.ts';
import type { Variable } from './variable-sets.store.ts';

/** Environment of a release on a target: each variable once, by its source. */
export interface TaskEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** Variable to the place on its own host where the agent finds the value. */
  readonly agentSecrets: Readonly<Record<string, string>>;
  /** Variable to the reference that is resolved here and sealed to the agent. */
  readonly secretRefs: Readonly<Record<string, string>>;
}

type Filled = { readonly value: string } | { readonly secret: string };

const filledBy = ({ value, secret }: Pick<Variable, 'value' | 'secret'>): Filled =>
  secret === null ? { value: value ?? '' } : { secret };

/** Variables of a task. For one name the last wins: the environment’s set, the target’s variables, its secrets. */
export const environmentOf = (
  { config, secretRefs }: Pick<Target, 'config' | 'secretRefs'>,
  variables: readonly Variable[],
): TaskEnvironment => {
  const byName = new Map<string, Filled>([
    ...variables.map((variable) => [variable.name, filledBy(variable)] as const),
    ...config.env.map(({ name, value }) => [name, { value }] as const),
    ...secretRefs.map(({ variable, secret }) => [variable, { secret }] as const),
  ]);
  const all = [...byName];
  const secrets = all.flatMap(([name, filled]) => ('secret' in filled ? [[name, filled.secret] as const] : []));
  const isAgents = (reference: string): boolean => parseReference(reference)?.kind === 'agent';
  return {
    env: Object.fromEntries(
      all.flatMap(([name, filled]) => ('value' in filled ? [[name, filled.value] as const] : [])),
    ),
    agentSecrets: Object.fromEntries(secrets.filter(([, reference]) => isAgents(reference))),
    secretRefs: Object.fromEntries(secrets.filter(([, reference]) => !isAgents(reference))),
  };
};

/** Every secret that it refers to. */
export const secretsOf = ({ agentSecrets, secretRefs }: TaskEnvironment): readonly string[] => [
  ...Object.values(agentSecrets),
  ...Object.values(secretRefs),
];
