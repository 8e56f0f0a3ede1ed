import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import { Fault } from '@landfall/kernel/fault';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import type { Client } from '../clients/clients.store.ts';
import { scopeWords } from '../scopes.ts';
import type { AuthoritySettings } from '../settings.ts';
import * as users from '../users/users.store.ts';
import * as families from './families.store.ts';
import { formParser, parameter } from './form.ts';
import type { Issue, Issuer } from './issue.ts';
import { hashOf, newOpaque } from './opaque.ts';
import { actor, type ProtocolRequest } from './protocol.ts';
import type { GrantHandler } from './token-endpoint.ts';

export const refreshRequest = Type.Object({
  refresh_token: parameter(200),
  scope: Type.Optional(parameter(2_000)),
});

const parse = formParser(refreshRequest);

/** The scopes of this access token: the family's, or fewer when the request asks for fewer (RFC 6749 6). */
const narrowed = (held: readonly string[], asked: string | undefined): readonly string[] => {
  if (asked === undefined) return held;
  const scopes = scopeWords(asked);
  const beyond = scopes.find((scope) => !held.includes(scope));
  if (beyond !== undefined) throw new Fault('invalid_scope', `The scope ${beyond} was not granted.`);
  return scopes;
};

/** `grant_type=refresh_token` (RFC 6749 6), rotated at each use (RFC 9700 4.14.2). */
export const createRefreshGrant = (
  { database, issuer }: Pick<Deps, 'database'> & { readonly issuer: Issuer },
  { refreshIdleMs }: AuthoritySettings,
): GrantHandler => {
  /** A spent token that comes again is in two hands; which of them is the thief cannot be told, so both end. */
  const refuseReuse = async (tx: Tx, family: families.Family, hash: Buffer, request: ProtocolRequest) => {
    const { tenant, id, clientId, userId } = family;
    if (!(await families.isSpent(tx, tenant, hash)) || !(await families.revoke(tx, tenant, id))) return;
    await event(tx, actor(tenant, clientId, 'client', request), 'refreshToken.reuse', {
      entity: 'TokenFamily',
      id,
      version: 1,
      data: { clientId, userId },
    });
  };

  const rotate = async (tx: Tx, client: Client, found: families.Family, form: { hash: Buffer; scope?: string }) => {
    const { tenant } = found;
    // First the person, then the family: everything that ends tokens locks in this order.
    const user = await users.holdActive(tx, tenant, found.userId);
    const family = await families.lock(tx, tenant, found.id);
    if (!user || !family || family.revokedAt !== null || family.clientId !== client.id) return undefined;
    const scopes = narrowed(family.scopes, form.scope);
    const successor = newOpaque();
    const rotated = await families.rotate(tx, tenant, form.hash, successor.hash, refreshIdleMs);
    if (rotated === 0) return undefined;
    return issuer.record(tx, { tenant, user, client, family, scopes, nonce: null, refreshToken: successor.value });
  };

  return async (client, form, request) => {
    const { refresh_token: token, scope } = parse(form);
    const hash = hashOf(token);
    const found = await database.system.read((query) => families.findByRefreshToken(query, hash));
    const issue =
      found &&
      (await database.write(found.tenant, async (tx): Promise<Issue | undefined> => {
        const issued = await rotate(tx, client, found, { hash, ...(scope !== undefined && { scope }) });
        if (!issued && found.clientId === client.id) await refuseReuse(tx, found, hash, request);
        return issued;
      }));
    if (!issue) throw new Fault('invalid_grant', 'The refresh token is unknown, expired, used or revoked.');
    return issuer.answer(issue);
  };
};
