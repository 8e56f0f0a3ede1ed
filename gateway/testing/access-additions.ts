import { randomBytes } from 'node:crypto';
import type { Authority } from '@landfall/authority';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import type { DemoClient } from '@landfall/kernel/demo/chapter';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { TENANT } from '../demo/accounts.ts';

/** Addresses and tokens for the epilogue. */
interface DemoIds {
  readonly authUrl: string;
  readonly deps: Pick<Deps, 'database'>;
  readonly bootstrap: Authority['bootstrap'];
}

type Scopes = Parameters<Authority['bootstrap']['ensureClient']>[0]['scopes'];

/** Tenant without a registry plan. */
const PLANLESS = 'planless';

const started = Type.Object({ device_code: Type.String() });

/** Creates a device code that has expired. */
const expiredDeviceCode = async ({ authUrl, deps }: DemoIds, as: DemoClient): Promise<string> => {
  const response = await fetch(`${authUrl}/device_authorization`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${as.clientId}:${as.clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ scope: 'openid' }),
  });
  const { device_code: code } = Parse(started, await response.json());
  await deps.database.write(toTenantId(TENANT), (tx) =>
    tx.run(sql`/* testing.access_epilogue.expire */
      update authority.device_codes set expires_at = kernel.now() - interval '1 second'
      where client_id = ${as.clientId} and state = 'pending'`),
  );
  return code;
};

/** Creates clients that the demo lacks: one with the password grant, and one of a tenant without a plan. */
export const addAccessClients = async (
  ids: DemoIds,
  portal: DemoClient,
): Promise<{ readonly clients: readonly DemoClient[]; readonly expiredDeviceCode: string }> => {
  const { bootstrap } = ids;
  const ensure = async (tenant: string, name: string, scopes: Scopes, isTrusted: boolean) => {
    const clientSecret = randomBytes(32).toString('base64url');
    const grants = ['client_credentials' as const, ...(isTrusted ? (['password'] as const) : [])];
    const clientId = await bootstrap.ensureClient({ tenant, name, secret: clientSecret, grants, scopes });
    return { name, clientId, clientSecret, scopes };
  };
  await bootstrap.ensureTenant({ tenant: PLANLESS, name: 'Planless' });
  return {
    clients: [
      await ensure(TENANT, 'terminal', ['openid', 'release:read'], true),
      await ensure(PLANLESS, 'planless', ['registry.token.issue'], false),
    ],
    expiredDeviceCode: await expiredDeviceCode(ids, portal),
  };
};
