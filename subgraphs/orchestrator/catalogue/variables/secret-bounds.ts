import { MAX_SEALED, MAX_SECRET_REFS } from '@landfall/agent/protocol/limits';
import type { ResolvedReferences } from '../secrets/secret-source.ts';
import type { TaskEnvironment } from './task-environment.ts';

/** Size of the authentication tag of a sealed value, in bytes (`agent/protocol/sealing.ts`). */
const TAG_BYTES = 16;

/** Length of these values once sealed, in characters: JSON and the tag, in base64url. */
const sealedLength = (env: Readonly<Record<string, string>>): number =>
  Math.ceil(((Buffer.byteLength(JSON.stringify({ env, registries: {} })) + TAG_BYTES) * 4) / 3);

/** Reason why a target's secrets exceed an agent's limit; a reference without a value in `values` counts as empty. */
export const secretLimitProblem = (
  { agentSecrets, secretRefs }: Pick<TaskEnvironment, 'agentSecrets' | 'secretRefs'>,
  values: ResolvedReferences,
): string | undefined => {
  const references = Object.keys(agentSecrets).length;
  if (references > MAX_SECRET_REFS)
    return `the target and the environment’s variables name ${references} secrets of the agent’s; ${MAX_SECRET_REFS} are the most`;
  const env = Object.entries(secretRefs).map(([variable, reference]) => {
    const found = values.get(reference);
    return [variable, found?.status === 'found' ? found.value : ''] as const;
  });
  const length = sealedLength(Object.fromEntries(env));
  return length > MAX_SEALED
    ? `its secrets take ${length} characters once they are sealed; ${MAX_SEALED} are the most`
    : undefined;
};
