import { createBatch } from '@landfall/kernel/core/batch';
import type { Deps } from '@landfall/kernel/module';
import type { AccessToken } from './access-tokens.ts';
import * as store from './token-status.store.ts';

/**
 * Whether a token still holds, and the name of whoever it speaks of: neither it nor its tenant, client or person was
 * stopped. Asked anew for each request; those that come at once are asked for in one statement.
 */
export type ReadTokenStatus = (token: AccessToken) => Promise<store.TokenStatus>;

export const createTokenStatusReader = ({ database }: Pick<Deps, 'database'>): ReadTokenStatus =>
  createBatch((tokens: readonly AccessToken[]) => database.system.read((query) => store.list(query, tokens)));
