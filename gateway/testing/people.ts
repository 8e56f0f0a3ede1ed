import { randomBytes } from 'node:crypto';
import type { Authority } from '@landfall/authority';
import { authorityModule } from '@landfall/authority';
import { createBrowser, hiddenFields, type Visit, visit } from '../demo/browser.ts';
import type { Product } from './start.ts';

type Scopes = Parameters<Authority['bootstrap']['ensureClient']>[0]['scopes'];

const SCOPES: Scopes = [
  'release:read',
  'orch:read',
  'orch:operate',
  'orch:approve',
  'orch:admin',
  'authority:admin',
  'advisory-ai:admin',
  'airgap:seal',
  'airgap:status:read',
  'export.operator',
  'export.viewer',
  'findings:read',
  'notify.admin',
  'scanner:read',
  'scanner:write',
];

/** Client of a tenant with its access token. */
export interface Bearer {
  readonly clientId: string;
  /** Headers of its requests. */
  readonly headers: Readonly<Record<string, string>>;
  /** Revokes the token, as the client itself (RFC 7009). */
  revoke(): Promise<void>;
}

const bootstrapOf = ({ modules }: Product) => {
  const { bootstrap } = authorityModule.get(modules);
  return bootstrap;
};

/** Creates a client of `tenant` with these scopes and requests an access token. */
export const bearer = async (product: Product, tenant: string, scopes: Scopes = SCOPES): Promise<Bearer> => {
  const bootstrap = bootstrapOf(product);
  const secret = randomBytes(32).toString('base64url');
  const name = `client ${randomBytes(6).toString('hex')}`;
  await bootstrap.ensureTenant({ tenant, name: tenant });
  const clientId = await bootstrap.ensureClient({
    tenant,
    name,
    secret,
    grants: ['client_credentials'],
    scopes,
  });
  const basic = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
  const post = async (path: string, form: Record<string, string>): Promise<string> => {
    const body = new URLSearchParams(form);
    const response = await fetch(product.authUrl + path, { method: 'POST', headers: { authorization: basic }, body });
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}.`);
    return response.text();
  };
  const { access_token: token } = JSON.parse(await post('/token', { grant_type: 'client_credentials' }));
  return {
    clientId,
    headers: { authorization: `Bearer ${token}` },
    revoke: async () => void (await post('/revoke', { token })),
  };
};

/** Creates an administrator of `tenant` and signs in to the console. */
export const consoleUser = async (product: Product, tenant: string): Promise<Visit> => {
  const bootstrap = bootstrapOf(product);
  const username = `ann-${randomBytes(6).toString('hex')}`;
  const password = randomBytes(16).toString('base64url');
  await bootstrap.ensureTenant({ tenant, name: tenant });
  await bootstrap.ensureUser({ tenant, username, password, displayName: 'Ann', roles: ['admin'] });
  return visit(product.baseUrl, { username, password });
};

/**
 * Sets a password on the page of an invitation link.
 * @throws Error when the page refuses it
 */
export const choosePassword = async (link: string, password: string): Promise<void> => {
  const browser = createBrowser();
  const page = await browser.open(new URL(link));
  const body = hiddenFields(page.text);
  body.set('password', password);
  body.set('repeated', password);
  const finished = await browser.open(new URL('/account-link', page.url), { method: 'POST', body });
  if (!finished.text.includes('Your password is set')) throw new Error(`${page.url.origin} did not take the password.`);
};
