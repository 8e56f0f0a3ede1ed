import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { isId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { findAnywhere } from '../clients/clients.store.ts';
import { type Family, findByAccessToken } from './families.store.ts';

/**
 * The sign-in behind a caller's token, when the platform's own console holds it. What a person does to their own account
 * is no application's to do for them: whoever was given a token for anything else would become that person for good.
 * @throws Fault PERM_ACTION_DENIED
 */
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

/** As `FirstParty`, for what administrators do too, and whoever came without a token. @throws Fault PERM_ACTION_DENIED */
export const requireFirstPartyOrAdmin = async (firstParty: RequireFirstParty, who: Who): Promise<void> => {
  if (who.tokenId !== undefined && !who.scopes.has('authority:admin')) await firstParty(who);
};
