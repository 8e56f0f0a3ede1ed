import type { ServingLogin } from '@landfall/kernel/db/migrate';
import pg from 'pg';
import type { GatewaySettings } from '../settings/settings.ts';

const CONNECT_MS = 5_000;
const OLDEST = 15;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Database address without its password. */
const visible = (url: string): string => {
  const { hostname, port, pathname, searchParams } = new URL(url);
  return `${hostname || (searchParams.get('host') ?? 'localhost')}:${port || 5432}${pathname}`;
};

const userOf = (url: string): string => {
  const { username, searchParams } = new URL(url);
  return decodeURIComponent(username) || (searchParams.get('user') ?? '');
};

/** Login of `DATABASE_URL` if `DATABASE_DIRECT_URL` has another. Throws if it names no user or a role of Landfall. */
export const servingLogin = ({
  databaseUrl,
  databaseDirectUrl,
}: Pick<GatewaySettings, 'databaseUrl' | 'databaseDirectUrl'>): ServingLogin | undefined => {
  if (databaseUrl === undefined || databaseDirectUrl === undefined) return undefined;
  const name = userOf(databaseUrl);
  if (name === userOf(databaseDirectUrl)) return undefined;
  if (name === '') throw new Error('DATABASE_URL: names no user, and DATABASE_DIRECT_URL does; name one in both.');
  if (/^landfall_(?:app|system|migrator)$/.test(name))
    throw new Error(`DATABASE_URL: ${name} is a role that Landfall takes, and no login; use another name.`);
  return { name, password: decodeURIComponent(new URL(databaseUrl).password) || undefined };
};

/** Address of `DATABASE_DIRECT_URL` with the serving login, which suffices for LISTEN. */
export const listeningUrl = (databaseUrl: string, databaseDirectUrl: string): string => {
  const [serving, direct] = [new URL(databaseUrl), new URL(databaseDirectUrl)];
  direct.searchParams.delete('user');
  [direct.username, direct.password] = [encodeURIComponent(userOf(databaseUrl)), serving.password];
  return direct.href;
};

/** Recognises PostgreSQL's insufficient_privilege error. */
export const isForbidden = (error: unknown): boolean => codeOf(error) === '42501';

const REFUSES_LOGIN = new Set(['28P01', '28000', '28001']);

/** Describes a database problem in one line, with its setting. */
export const databaseRefusal = (setting: string, url: string, error: unknown): Error => {
  const code = codeOf(error);
  const location = visible(url);
  const reason = error instanceof Error && error.message !== '' ? error.message : code;
  if (REFUSES_LOGIN.has(code))
    return new Error(
      `${setting}: ${location} refuses the user ${userOf(url) || '(none)'} (${reason}); correct user name and password.`,
    );
  if (code === '3D000') return new Error(`${setting}: ${location}: ${reason}; create it, or name another.`);
  if (isForbidden(error))
    return new Error(
      `${setting}: the user ${userOf(url) || '(none)'} may not prepare ${location} (${reason}); give it CREATEROLE and the database.`,
    );
  return new Error(`${setting}: no PostgreSQL answers at ${location} (${reason}); start it, or correct the address.`);
};

/** Connects to a database and checks its version. Throws an Error with the setting, the address and the remedy. */
export const checkDatabase = async (setting: string, url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    throw databaseRefusal(setting, url, error);
  }
  try {
    const { rows } = await client.query("select current_setting('server_version_num')::integer / 10000 as major");
    const major = Number(rows[0]?.major);
    if (major < OLDEST)
      throw new Error(`${setting}: ${visible(url)} is PostgreSQL ${major}; Landfall needs version ${OLDEST} or newer.`);
  } finally {
    await client.end();
  }
};
