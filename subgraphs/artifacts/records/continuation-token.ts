import { createHmac } from 'node:crypto';
import { invalid } from '@landfall/kernel/core/fault';
import { isId, type TenantId } from '@landfall/kernel/core/ids';
import { isJsonObject, parseJson } from '@landfall/kernel/core/json';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { constantTimeEqual, type Secrets } from '@landfall/kernel/crypto/secrets';
import type { ArtifactFilter, Position } from './artifacts.store.ts';

/** Name of the key that signs tokens. */
const PURPOSE = 'artifacts/continuation-token/v1';
const HASH_DIGITS = 16;

/** List that a token continues: another tenant or other filters have another hash. */
const hashOf = (tenant: TenantId, filter: ArtifactFilter): string =>
  sha256Hex(canonicalJson({ tenant, ...filter })).slice(0, HASH_DIGITS);

const macOf = (key: Uint8Array, body: string): string => createHmac('sha256', key).update(body).digest('base64url');

const refused = () =>
  invalid([
    {
      field: 'after',
      message: 'is not a continuation of this list: it is altered, or was given for other filters',
      code: 'VAL_INVALID_FORMAT',
    },
  ]);

/** Creates the tokens that continue a list. They are signed, so that nobody makes one of another list's position. */
export const createContinuationTokens = (secrets: Secrets) => ({
  encode(tenant: TenantId, filter: ArtifactFilter, { createdAt, artifactId }: Position): string {
    const filterHash = hashOf(tenant, filter);
    const body = Buffer.from(JSON.stringify({ v: 1, createdAt, artifactId, filterHash })).toString('base64url');
    return `${body}.${macOf(secrets.derive(PURPOSE), body)}`;
  },

  /** @throws Fault VAL_INVALID_FORMAT */
  decode(tenant: TenantId, filter: ArtifactFilter, token: string): Position {
    const [body = '', mac = ''] = token.split('.', 2);
    if (!secrets.deriveAll(PURPOSE).some((key) => constantTimeEqual(mac, macOf(key, body)))) throw refused();
    const parsed = parseJson(Buffer.from(body, 'base64url'));
    if (!isJsonObject(parsed) || parsed.v !== 1 || parsed.filterHash !== hashOf(tenant, filter)) throw refused();
    const { createdAt, artifactId } = parsed;
    if (typeof createdAt !== 'string' || typeof artifactId !== 'string' || !isId(artifactId, 'Artifact'))
      throw refused();
    return { createdAt, artifactId };
  },
});
