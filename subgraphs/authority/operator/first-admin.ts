import { randomBytes } from 'node:crypto';
import type { Bootstrap } from './bootstrap.ts';

/** Tenant and user name of a first administrator. */
export interface FirstAdmin {
  readonly tenant: string;
  readonly username: string;
}

/** Parses `<tenant>/<user name>` of a first administrator; throws an Error that states the form. */
export const parseAdmin = (text: string): FirstAdmin => {
  const [, tenant, username] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (tenant === undefined || username === undefined) throw new Error(`--admin ${text}: write <tenant>/<user name>.`);
  return { tenant, username };
};

/** Creates the first administrator of a tenant and returns the password; undefined when the tenant has people. */
export const createFirstAdmin = async (
  bootstrap: Pick<Bootstrap, 'createFirstAdmin'>,
  { tenant, username }: FirstAdmin,
): Promise<string | undefined> => {
  const password = randomBytes(18).toString('base64url');
  const created = await bootstrap.createFirstAdmin({ tenant, username, displayName: username, password });
  return created && password;
};
