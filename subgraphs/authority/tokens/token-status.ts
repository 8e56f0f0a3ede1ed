import { createBatch } from '@landfall/kernel/core/batch';
import type { Deps } from '@landfall/kernel/module';
import type { AccessToken } from './access-tokens.ts';
import * as store from './token-status.store.ts';

/** Reads whether a token is valid and the user name of its subject; concurrent reads share one statement. */
export type ReadTokenStatus = (token: AccessToken) => Promise<store.TokenStatus>;

export const createTokenStatusReader = ({ database }: Pick<Deps, 'database'>): ReadTokenStatus =>
  createBatch((tokens: readonly AccessToken[]) => database.system.read((query) => store.list(query, tokens)));
