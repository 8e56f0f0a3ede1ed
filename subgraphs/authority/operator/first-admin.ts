import { randomBytes } from 'node:crypto';
import type { Bootstrap } from './bootstrap.ts';

/** Tenant and user name of a first administrator. */
export interface FirstAdmin {
  readonly tenant: string;
  readonly username: string;
}

/** @throws Error that says how it is written */
export const parseAdmin = (text: string): FirstAdmin => {
  const [, tenant, username] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (tenant === undefined || username === undefined) throw new Error(`--admin ${text}: write <tenant>/<user name>.`);
  return { tenant, username };
};

/**
 * Lets the first person into a tenant: an admin, who lets in everybody else. The password is in the answer and nowhere
 * else. Undefined when somebody can sign in there already: then nothing changes.
 */
export const createFirstAdmin = async (
  bootstrap: Pick<Bootstrap, 'createFirstAdmin'>,
  { tenant, username }: FirstAdmin,
): Promise<string | undefined> => {
  const password = randomBytes(18).toString('base64url');
  const created = await bootstrap.createFirstAdmin({ tenant, username, displayName: username, password });
  return created && password;
};
