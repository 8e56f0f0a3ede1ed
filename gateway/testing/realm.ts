import { startProcess } from './processes.ts';

/** Settings that the first installation would have. */
const SETTINGS = {
  REGISTRY_TOKEN_PLANS: JSON.stringify({
    guest: { repositories: [{ pattern: 'public/*' }, { pattern: 'registry:catalog', actions: ['*'] }] },
  }),
  REGISTRY_TOKEN_DEFAULTPLAN: 'guest',
  REGISTRY_TOKEN_PARTIALGRANTS: 'intersect',
  REGISTRY_TOKEN_REGISTRY__SERVICES: 'registry.example',
};

type Env = Readonly<Record<string, string>>;

/** Installation that issues registry tokens for another one's access tokens. */
export interface Realm extends AsyncDisposable {
  readonly baseUrl: string;
}

/**
 * Starts a second installation with registry settings that exclude the first's: a default plan, partial grants, and
 * named registries. It trusts the authority at `authUrl`.
 */
export const startRealm = async (env: Env, authUrl: string): Promise<Realm> => {
  const baseUrl = env.LANDFALL_BASE_URL ?? '';
  const own = { ...env, ...SETTINGS, REGISTRY_TOKEN_AUTHORITY__ISSUER: authUrl };
  const started = await startProcess(['--no-demo'], own, baseUrl);
  return { baseUrl, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
};
