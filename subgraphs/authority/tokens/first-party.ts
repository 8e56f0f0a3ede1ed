import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { type Id, isId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { findAnywhere } from '../clients/clients.ts';
import { type Family, findByAccessToken } from './families.store.ts';
/** Finds the sign-in of a token of the console; throws Fault PERM_ACTION_DENIED for tokens of other clients. */
export type RequireFirstParty = (who: Who) => Promise<Family>;

export const createFirstPartyCheck =
  ({ database }: Pick<Deps, 'database'>): RequireFirstParty =>
  async ({ tenant, tokenId, clientId }) => {
    const isKnown = tokenId !== undefined && isId(tokenId, 'Token') && isId(clientId, 'Client');
    const signIn = isKnown && (await database.read(tenant, (query) => findByAccessToken(query, tenant, tokenId)));
    // A token that was exchanged is recorded with the sign-in too, and is another client's.
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
export const requireFirstPartyOrAdmin = async (firstParty: RequireFirstParty, who: Who): Promise<void> => {
  if (who.tokenId !== undefined && !who.scopes.has('authority:admin')) await firstParty(who);
};

export const isAdmin = ({ scopes }: Who): boolean => scopes.has('authority:admin');

/** Owner of requested sessions or families: any person for an administrator, oneself for others. */
export const ownerOf = (who: Who, userId: Id<'User'> | undefined): Id<'User'> | 'nobody' | undefined => {
  if (isAdmin(who)) return userId;
  if (userId !== undefined && userId !== who.subject)
    throw new Fault('PERM_SCOPE_DENIED', 'Missing required scope: authority:admin', { anyOf: ['authority:admin'] });
  return who.kind === 'user' && isId(who.subject, 'User') ? who.subject : 'nobody';
};
