import { createHash } from 'node:crypto';
import { Fault } from '@landfall/kernel/core/fault';
import { type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import Type from 'typebox';
import { bindingOf } from '../clients/sender-constraint.ts';
import { formParser, parameter } from '../protocol/form.ts';
import { hashSecret } from '../protocol/opaque-secrets.ts';
import * as users from '../users/users.ts';
import * as codes from './codes.store.ts';
import { revokeReused } from './family-lifecycle.ts';
import type { TokenIssue } from './issuer.ts';
import type { GrantOperation, GrantParts, GrantRequest } from './token-endpoint.ts';

export const { insert: insertCode, prune: pruneCodes } = codes;

/** RFC 7636 4.1. */
const verifier = Type.String({ pattern: '^[A-Za-z0-9._~-]{43,128}$' });

const parse = formParser(
  Type.Object({ code: parameter(200), redirect_uri: parameter(2_000), code_verifier: verifier }),
);

/** S256 of RFC 7636 4.2, the only method there is. */
const challengeOf = (codeVerifier: string): string => createHash('sha256').update(codeVerifier).digest('base64url');

/** `grant_type=authorization_code` (RFC 6749 4.1.3, RFC 7636 4.5, RFC 9449 10, RFC 8707 2.2). */
export const createCodeGrant = ({
  database,
  ids,
  issuer,
  openFamily,
  resourceIndicators,
}: GrantParts): GrantOperation => {
  const refuseReuse = async (tx: Tx, tenant: TenantId, hash: Buffer, { client, request }: GrantRequest) => {
    const { clientId, familyId, userId } = (await codes.find(tx, tenant, hash)) ?? {};
    if (familyId && userId && clientId === client.id)
      await revokeReused(tx, { type: 'code.reuse', tenant, client, familyId, userId }, request);
  };

  return async (grant) => {
    const { client, form, sender } = grant;
    const { code, redirect_uri: redirectUri, code_verifier: codeVerifier } = parse(form);
    const binding = bindingOf(client, sender);
    const challenge = challengeOf(codeVerifier);
    const proof = { hash: hashSecret(code), clientId: client.id, redirectUri, challenge, jkt: sender.jkt };
    const known = await database.system.read((query) => codes.findAnywhere(query, proof.hash));
    const issue =
      known &&
      (await database.write(known.tenant, async (tx): Promise<TokenIssue | undefined> => {
        const { tenant } = known;
        const user = await users.lockActive(tx, tenant, known.userId);
        if (!user) return undefined;
        const familyId = toId(ids.uuid(), 'TokenFamily');
        const consumed = await codes.consume(tx, tenant, proof, familyId);
        if (!consumed) {
          await refuseReuse(tx, tenant, proof.hash, grant);
          return undefined;
        }
        const { scopes, nonce, amr, authTime, resources: granted } = consumed;
        const resources = resourceIndicators.resourcesOf(client, grant.resources, granted);
        const signIn = { tenant, client, user, familyId, scopes, granted, resources, amr, authTime, nonce, binding };
        return openFamily(tx, signIn);
      }));
    if (!issue)
      throw new Fault('invalid_grant', 'The code is unknown, expired, used, or was issued for something else.');
    return issuer.answer(issue);
  };
};
