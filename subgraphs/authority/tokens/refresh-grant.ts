import { Fault } from '@landfall/kernel/core/fault';
import type { Tx } from '@landfall/kernel/db/query';
import Type from 'typebox';
import { bindingOf } from '../clients/sender-constraint.ts';
import { formParser, parameter } from '../protocol/form.ts';
import { hashSecret, newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import { narrowScopes } from '../protocol/scopes.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import * as users from '../users/users.ts';
import * as families from './families.store.ts';
import { revokeReused } from './family-lifecycle.ts';
import type { TokenIssue } from './issuer.ts';
import type { GrantOperation, GrantParts, GrantRequest } from './token-endpoint.ts';

const parse = formParser(Type.Object({ refresh_token: parameter(200), scope: Type.Optional(parameter(2_000)) }));

/** Refresh token of a request. */
interface Presented {
  readonly hash: Buffer;
  readonly scope: string | undefined;
}

/** `grant_type=refresh_token` (RFC 6749 6, RFC 8707 2.2), rotated at each use (RFC 9700 4.14.2). */
export const createRefreshGrant = (
  { database, issuer, resourceIndicators }: GrantParts,
  { refreshIdleMs }: AuthoritySettings,
): GrantOperation => {
  const refuseReuse = async (tx: Tx, family: families.Family, hash: Buffer, { client, request }: GrantRequest) => {
    const { tenant, id: familyId, userId } = family;
    if (client.id !== family.clientId || !(await families.isSpent(tx, tenant, hash))) return;
    await revokeReused(tx, { type: 'refreshToken.reuse', tenant, client, familyId, userId }, request);
  };

  const rotate = async (tx: Tx, request: GrantRequest, found: families.Family, consumed: Presented) => {
    const { client, sender } = request;
    const { tenant } = found;
    // First the person, then the family: everything that ends tokens locks in this order.
    const user = await users.lockActive(tx, tenant, found.userId);
    const family = await families.findLocked(tx, tenant, found.id);
    if (!user || !family || family.revokedAt !== null || family.clientId !== client.id) return undefined;
    const binding = bindingOf(client, sender, family.sender);
    // RFC 9449 5: the refresh token of a public client has no other binding.
    if (family.refreshJkt !== null && family.refreshJkt !== sender.jkt)
      throw new Fault('invalid_grant', 'The refresh token is bound to another DPoP key.');
    const scopes = narrowScopes(consumed.scope, family.scopes, (scope) => `The scope ${scope} was not granted.`);
    const resources = resourceIndicators.resourcesOf(client, request.resources, family.resources);
    const successor = newOpaqueSecret();
    const rotated = await families.rotate(
      tx,
      tenant,
      { spent: consumed.hash, successor: successor.hash },
      refreshIdleMs,
    );
    if (rotated === 0) return undefined;
    const tokens = { binding, scopes, resources, nonce: null, refreshToken: successor.value };
    return issuer.record(tx, { tenant, user, client, family, ...tokens });
  };

  return async (grant) => {
    const { refresh_token: token, scope } = parse(grant.form);
    const hash = hashSecret(token);
    const found = await database.system.read((query) => families.findByRefreshToken(query, hash));
    const issue =
      found &&
      (await database.write(found.tenant, async (tx): Promise<TokenIssue | undefined> => {
        const issued = await rotate(tx, grant, found, { hash, scope });
        if (!issued) await refuseReuse(tx, found, hash, grant);
        return issued;
      }));
    if (!issue) throw new Fault('invalid_grant', 'The refresh token is unknown, expired, used or revoked.');
    return issuer.answer(issue);
  };
};
