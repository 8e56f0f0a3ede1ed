import { Fault } from '@landfall/kernel/core/fault';
import { toId } from '@landfall/kernel/core/ids';
import Type from 'typebox';
import type { Client } from '../clients/clients.ts';
import { bindingOf } from '../clients/sender-constraint.ts';
import { formParser, parameter } from '../protocol/form.ts';
import { clientScopes } from '../protocol/scopes.ts';
import { verifyPassword } from '../users/passwords.ts';
import * as users from '../users/users.ts';
import type { TokenIssue } from './issuer.ts';
import type { GrantOperation, GrantParts, GrantRequest } from './token-endpoint.ts';

const parse = formParser(
  Type.Object({
    username: Type.String({ minLength: 1, maxLength: 100 }),
    password: Type.String({ minLength: 1, maxLength: 200 }),
    scope: Type.Optional(parameter(2_000)),
  }),
);

/** Refusal with one message for every reason, which reveals neither names nor second factors. */
const refused = (details?: { readonly retryAfter: number }): Fault =>
  new Fault('invalid_grant', 'User name or password is wrong, or the person must sign in otherwise.', details);

/** Whether people of this tenant may use the client. */
const serves = (client: Client, tenant: string): boolean => client.servesEveryTenant || client.tenant === tenant;

/** `grant_type=password` (RFC 6749 4.3), for clients that are registered for it and people without a second factor. */
export const createPasswordGrant = (parts: GrantParts): GrantOperation => {
  const { database, ids, clock, backOff, factors, issuer, openFamily, resourceIndicators, recordFailedSignIn } = parts;

  /** Whether a password alone does not sign the person in. A passkey is a sign-in method of its own. */
  const hasSecondFactor = (tenant: Client['tenant'], userId: users.UserId): Promise<boolean> =>
    database.read(tenant, async (query) => (await factors.summaryOf(query, tenant, userId)).totp);

  /** Finds the person of a name and password. An unknown name takes the same steps and time. */
  const identify = async (client: Client, username: string, password: string) => {
    const found = await database.system.read((query) => users.findCredentials(query, username));
    const isRight = await verifyPassword(password, found?.passwordHash);
    if (!found || !isRight || !serves(client, found.tenant)) return { found };
    return (await hasSecondFactor(found.tenant, found.id)) ? { found } : { found, who: found };
  };

  return async ({ client, form, resources: grant, sender, request }: GrantRequest) => {
    const { username: text, password, scope } = parse(form);
    const scopes = clientScopes(scope, client.scopes);
    const resources = resourceIndicators.resourcesOf(client, grant);
    const binding = bindingOf(client, sender);
    const username = text.trim().toLowerCase();
    // A client's failed attempts delay that client only, neither the sign-in page nor another client at its address.
    const address = `${client.id} ${request.address}`;
    const turn = await backOff.recordAttempt(username, address);
    if (!turn.allowed) throw refused({ retryAfter: Math.max(1, Math.ceil(turn.waitMs / 1000)) });
    const { found, who: caller } = await identify(client, username, password);
    const issue =
      caller &&
      (await database.write(caller.tenant, async (tx): Promise<TokenIssue | undefined> => {
        const { tenant } = caller;
        const user = await users.lockActive(tx, tenant, caller.id);
        if (!user) return undefined;
        const familyId = toId(ids.uuid(), 'TokenFamily');
        const at = { amr: ['pwd'], authTime: clock.now(), nonce: null };
        return openFamily(tx, {
          tenant,
          client,
          user,
          familyId,
          scopes,
          granted: resources,
          resources,
          ...at,
          binding,
        });
      }));
    if (!issue) {
      if (found) recordFailedSignIn({ tenant: found.tenant, userId: found.id }, 'password', request);
      throw refused();
    }
    await backOff.recordSuccess(username, address);
    return issuer.answer(issue);
  };
};
