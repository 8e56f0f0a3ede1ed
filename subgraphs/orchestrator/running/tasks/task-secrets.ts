import { createPublicKey } from 'node:crypto';
import type { Component, Sealed, TaskSecrets } from '@landfall/agent/protocol/messages';
import { sealTo } from '@landfall/agent/protocol/sealing';
import type { Who } from '@landfall/kernel/core/caller';
import type { Query } from '@landfall/kernel/db/query';
import type { Registries } from '../../catalogue/integrations/registries.ts';
import type { Resolved, ResolvedReferences, SecretSource } from '../../catalogue/secrets/secret-source.ts';
import type { Reason } from '../deployments/anatomy.ts';
import type { DueTask } from './tasks.store.ts';

/** Reason why a task is not sent. */
export interface Refusal {
  readonly reason: Reason;
  readonly detail: string;
}

type Task = Pick<DueTask, 'id' | 'secretRefs'> & { readonly components: readonly Component[] };

const REASONS: Readonly<Record<Exclude<Resolved['status'], 'found'>, Reason>> = {
  missing: 'secret-not-found',
  refused: 'secret-refused',
  unavailable: 'secret-unavailable',
};

/** Finds the first unavailable secret, the most severe kind first: a missing secret will not appear by waiting. */
const refusalOf = (requested: readonly (readonly [reference: string, Resolved])[]): Refusal | undefined => {
  for (const status of ['missing', 'refused', 'unavailable'] as const) {
    const failed = requested.flatMap(([reference, resolved]) =>
      resolved.status === status ? [`${reference}: ${resolved.detail}`] : [],
    );
    // A provider that failed differs from one that has no such secret (spec 7.2).
    const code = status === 'missing' ? '' : 'SYS_VAULT_ERROR: ';
    if (failed.length > 0) return { reason: REASONS[status], detail: `${code}${failed.join('; ')}` };
  }
  return undefined;
};

const notRequested: Resolved = { status: 'unavailable', detail: 'nobody was asked for it' };

export type SealFor = ReturnType<typeof createTaskSecrets>;

interface TaskSecretsDeps {
  readonly secrets: Pick<SecretSource, 'fromStore'>;
  readonly registries: Pick<Registries, 'credentials'>;
}

/**
 * Creates the function that seals a task's secrets to its agent, or returns why they are unavailable.
 * @param fromVaults values fetched over the network before this transaction
 */
export const createTaskSecrets =
  ({ secrets, registries }: TaskSecretsDeps) =>
  async (
    query: Query,
    caller: Who,
    task: Task,
    publicKey: string,
    fromVaults: ResolvedReferences,
  ): Promise<{ readonly sealed: Sealed } | { readonly refused: Refusal }> => {
    const references = Object.values(task.secretRefs);
    const stored = await secrets.fromStore(query, caller.tenant, references);
    const resolve = (reference: string): Resolved => stored.get(reference) ?? fromVaults.get(reference) ?? notRequested;
    const refused = refusalOf(references.map((reference) => [reference, resolve(reference)] as const));
    if (refused) return { refused };
    const env = Object.entries(task.secretRefs).flatMap(([variable, reference]) => {
      const resolved = resolve(reference);
      return resolved.status === 'found' ? [[variable, resolved.value] as const] : [];
    });
    const repositories = task.components.map(({ repository }) => repository);
    const content: TaskSecrets = {
      env: Object.fromEntries(env),
      registries: Object.fromEntries(await registries.credentials(query, caller.tenant, repositories)),
    };
    return { sealed: sealTo(createPublicKey(publicKey), JSON.stringify(content), task.id) };
  };
