import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { type Id, isId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { findAnywhere } from '../clients/clients.ts';
import { type Family, findByAccessToken } from './families.store.ts';
/** Finds the sign-in of a token of the console; throws Fault PERM_ACTION_DENIED for tokens of other clients. */
export type RequireFirstParty = (caller: Who) => Promise<Family>;

export const createFirstPartyCheck =
  ({ database }: Pick<Deps, 'database'>): RequireFirstParty =>
  async ({ tenant, tokenId, clientId }) => {
    const isKnown = tokenId !== undefined && isId(tokenId, 'Token') && isId(clientId, 'Client');
    const signIn = isKnown && (await database.read(tenant, (query) => findByAccessToken(query, tenant, tokenId)));
    // An exchanged token is recorded with the sign-in too, but belongs to another client.
    if (signIn && signIn.clientId === clientId) {
      const client = await database.system.read((query) => findAnywhere(query, clientId));
      if (client?.servesEveryTenant) return signIn;
    }
    throw new Fault(
      'PERM_ACTION_DENIED',
      'People change their account at the console or at the authority, nowhere else.',
    );
  };

/** Applies `RequireFirstParty` except to administrators and callers without a token; throws PERM_ACTION_DENIED. */
export const requireFirstPartyOrAdmin = async (firstParty: RequireFirstParty, caller: Who): Promise<void> => {
  if (caller.tokenId !== undefined && !caller.scopes.has('authority:admin')) await firstParty(caller);
};

export const isAdmin = ({ scopes }: Who): boolean => scopes.has('authority:admin');

/** Owner of requested sessions or families: any person for an administrator, oneself for others. */
export const ownerOf = (caller: Who, userId: Id<'User'> | undefined): Id<'User'> | 'nobody' | undefined => {
  if (isAdmin(caller)) return userId;
  if (userId !== undefined && userId !== caller.subject)
    throw new Fault('PERM_SCOPE_DENIED', 'Missing required scope: authority:admin', { anyOf: ['authority:admin'] });
  return caller.kind === 'user' && isId(caller.subject, 'User') ? caller.subject : 'nobody';
};
