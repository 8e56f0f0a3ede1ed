import { invalid } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Secrets } from '@landfall/kernel/crypto/secrets';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Integration } from './integrations.store.ts';

/** User name and password; a password without a user name is a bearer token. */
const credentials = Type.Object({ username: Type.Optional(Type.String()), password: Type.String() });
const validator = Compile(credentials);

export type Credentials = Static<typeof credentials>;

/** Sealing context of an integration's credentials: they cannot be opened for another integration. */
const rowPath = (integration: string): string => `integration/${integration}`;

export const sealCredentials = (secrets: Secrets, tenant: TenantId, integration: string, input: Credentials): Buffer =>
  secrets.seal(tenant, rowPath(integration), JSON.stringify(input));

/** Opens the credentials of an integration, if it has any; throws an Error when they cannot be opened. */
export const openCredentials = (
  secrets: Secrets,
  tenant: TenantId,
  { id, credentials: sealed }: Pick<Integration, 'id' | 'credentials'>,
): Credentials | undefined => {
  if (!sealed) return undefined;
  const value: unknown = JSON.parse(secrets.open(tenant, rowPath(id), sealed).toString('utf8'));
  if (!validator.Check(value)) throw new TypeError(`the credentials of integration ${id} are not what was sealed`);
  return value;
};

/** Checks that a token can be sent in an HTTP header. */
const isToken = (password: string): boolean => /^[\x21-\x7e]+$/.test(password);

/**
 * Validates credentials: user name and password together, or a password alone, which is a token: for a metrics server
 * either, for a forge only the token.
 * @throws Fault VAL_REQUIRED_FIELD, VAL_INVALID_FORMAT, VAL_INVALID_VALUE
 */
export const credentialsOf = (
  kind: Integration['kind'],
  username: string | undefined,
  password: string | undefined,
): Credentials | undefined => {
  if (password === undefined) {
    if (username === undefined) return undefined;
    throw invalid([{ field: 'password', message: 'is required beside the other', code: 'VAL_REQUIRED_FIELD' }]);
  }
  if (username !== undefined && kind === 'scm')
    throw invalid([
      { field: 'username', message: 'is not taken: a forge has a token alone', code: 'VAL_INVALID_VALUE' },
    ]);
  if (username !== undefined) return { username, password };
  if (kind === 'registry')
    throw invalid([{ field: 'username', message: 'is required beside the other', code: 'VAL_REQUIRED_FIELD' }]);
  if (!isToken(password))
    throw invalid([{ field: 'password', message: 'is no bearer token', code: 'VAL_INVALID_FORMAT' }]);
  return { password };
};

/** Credentials after a change; a new password without a user name keeps the saved user name. */
export const nextCredentials = (
  secrets: Secrets,
  tenant: TenantId,
  before: Integration,
  input: { username?: string; password?: string; removeCredentials?: boolean },
): Buffer | null => {
  if (input.removeCredentials) return null;
  if (input.username === undefined && input.password === undefined) return before.credentials;
  const username = input.username ?? openCredentials(secrets, tenant, before)?.username;
  const next = credentialsOf(before.kind, username, input.password);
  return next ? sealCredentials(secrets, tenant, before.id, next) : null;
};
