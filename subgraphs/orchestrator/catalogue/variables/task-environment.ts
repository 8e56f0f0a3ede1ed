import { parseReference } from '../../shared/secret-reference.ts';
import type { Target } from '../targets/target.ts';
import type { Variable } from './variable-sets.store.ts';

/** Environment variables of a release on a target: each variable once, by its source. */
export interface TaskEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** Location on the agent's host, by variable. */
  readonly agentSecrets: Readonly<Record<string, string>>;
  /** Reference that is resolved on the server and sealed to the agent, by variable. */
  readonly secretRefs: Readonly<Record<string, string>>;
}

type Filled = { readonly value: string } | { readonly secret: string };

const filledBy = ({ value, secret }: Pick<Variable, 'value' | 'secret'>): Filled =>
  secret === null ? { value: value ?? '' } : { secret };

/**
 * Merges the variables of a task. For one name the last wins: environment’s set, target’s variables, target’s secrets.
 */
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

/** Lists every secret that a task's environment refers to. */
export const secretsOf = ({ agentSecrets, secretRefs }: TaskEnvironment): readonly string[] => [
  ...Object.values(agentSecrets),
  ...Object.values(secretRefs),
];
