import { startProcess } from './processes.ts';

/** Settings that the product beside it would have. */
const SETTINGS = {
  REGISTRY_TOKEN_PLANS: JSON.stringify({
    guest: { repositories: [{ pattern: 'public/*' }, { pattern: 'registry:catalog', actions: ['*'] }] },
  }),
  REGISTRY_TOKEN_DEFAULTPLAN: 'guest',
  REGISTRY_TOKEN_PARTIALGRANTS: 'intersect',
  REGISTRY_TOKEN_REGISTRY__SERVICES: 'registry.example',
};

type Env = Readonly<Record<string, string>>;

/** An installation that issues registry tokens for another one's access tokens. */
export interface Realm extends AsyncDisposable {
  readonly baseUrl: string;
}

/**
 * A second installation, with the registry settings that the first cannot have at the same time: a plan for whoever has
 * none, grants in part, and registries that it knows by name. It believes the authority at `authUrl`.
 */
export const startRealm = async (env: Env, authUrl: string): Promise<Realm> => {
  const baseUrl = env.LANDFALL_BASE_URL ?? '';
  const own = { ...env, ...SETTINGS, REGISTRY_TOKEN_AUTHORITY__ISSUER: authUrl };
  const started = await startProcess(['--no-demo'], own, baseUrl);
  return { baseUrl, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
};
