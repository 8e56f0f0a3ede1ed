import { createHash } from 'node:crypto';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import { Fault } from '@landfall/kernel/fault';
import { type TenantId, toId } from '@landfall/kernel/ids';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import type { Client } from '../clients/clients.store.ts';
import type { AuthoritySettings } from '../settings.ts';
import * as users from '../users/users.store.ts';
import * as codes from './codes.store.ts';
import * as families from './families.store.ts';
import { formParser, parameter } from './form.ts';
import type { Issue, Issuer } from './issue.ts';
import { hashOf, newOpaque } from './opaque.ts';
import { actor, type ProtocolRequest } from './protocol.ts';
import type { GrantHandler } from './token-endpoint.ts';

/** RFC 7636 4.1. */
const verifier = Type.String({ pattern: '^[A-Za-z0-9._~-]{43,128}$' });

export const codeRequest = Type.Object({
  code: parameter(200),
  redirect_uri: parameter(2_000),
  code_verifier: verifier,
});

const parse = formParser(codeRequest);

/** S256 of RFC 7636 4.2, the only method there is. */
export const challengeOf = (codeVerifier: string): string =>
  createHash('sha256').update(codeVerifier).digest('base64url');

/** Whether this exchange may be followed by refreshes. */
const mayRefresh = (client: Client, scopes: readonly string[]): boolean =>
  client.grants.includes('refresh_token') && scopes.includes('offline_access');

/** `grant_type=authorization_code` (RFC 6749 4.1.3, RFC 7636 4.5). */
export const createCodeGrant = (
  { database, ids, issuer }: Pick<Deps, 'database' | 'ids'> & { readonly issuer: Issuer },
  { refreshIdleMs, accessTokenMs }: AuthoritySettings,
): GrantHandler => {
  /** A code that comes a second time was stolen once: what it brought is worth nothing any more (RFC 6749 4.1.2). */
  const refuseReuse = async (tx: Tx, tenant: TenantId, client: Client, hash: Buffer, request: ProtocolRequest) => {
    const code = await codes.find(tx, tenant, hash);
    if (!code?.familyId || code.clientId !== client.id) return;
    if (!(await families.revoke(tx, tenant, code.familyId))) return;
    await event(tx, actor(tenant, client.id, 'client', request), 'code.reuse', {
      entity: 'TokenFamily',
      id: code.familyId,
      version: 1,
      data: { clientId: client.id, userId: code.userId },
    });
  };

  const openFamily = async (tx: Tx, tenant: TenantId, client: Client, user: users.User, code: codes.Code) => {
    const family = { id: toId(code.familyId ?? '', 'TokenFamily'), clientId: client.id, authTime: code.authTime };
    const refresh = mayRefresh(client, code.scopes) ? newOpaque() : undefined;
    const aliveMs = refresh ? refreshIdleMs : accessTokenMs;
    await families.insert(tx, tenant, { ...family, userId: user.id, scopes: code.scopes, aliveMs });
    if (refresh) await families.insertRefreshToken(tx, tenant, family.id, refresh.hash, refreshIdleMs);
    const { scopes, nonce } = code;
    return issuer.record(tx, { tenant, user, client, family, scopes, nonce, refreshToken: refresh?.value });
  };

  return async (client, form, request) => {
    const { code, redirect_uri: redirectUri, code_verifier: codeVerifier } = parse(form);
    const proof = { hash: hashOf(code), clientId: client.id, redirectUri, challenge: challengeOf(codeVerifier) };
    const known = await database.system.read((query) => codes.findAnywhere(query, proof.hash));
    const issue =
      known &&
      (await database.write(known.tenant, async (tx): Promise<Issue | undefined> => {
        const user = await users.holdActive(tx, known.tenant, known.userId);
        if (!user) return undefined;
        const spent = await codes.consume(tx, known.tenant, proof, toId(ids.uuid(), 'TokenFamily'));
        if (spent) return openFamily(tx, known.tenant, client, user, spent);
        await refuseReuse(tx, known.tenant, client, proof.hash, request);
        return undefined;
      }));
    if (!issue)
      throw new Fault('invalid_grant', 'The code is unknown, expired, used, or was issued for something else.');
    return issuer.answer(issue);
  };
};
