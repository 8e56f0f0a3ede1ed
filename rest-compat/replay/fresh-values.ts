import { createProofs, type Proofs } from '../testing/proofs.ts';
import { provision } from './directory.ts';
import type { SignedIn } from './person.ts';

interface Sources {
  readonly variables: ReadonlyMap<string, string>;
  /** DPoP proofs by the key to which the demo's tokens are bound. */
  readonly proofs: Proofs;
  readonly person: SignedIn;
}

/** Returns the value of a name that is created for one request; undefined for any other name. */
export type Fresh = (name: string) => Promise<string | undefined>;

type Make = (rest: string) => Promise<string>;

/**
 * DPoP proofs: `proof:POST /token` of a client for the authority, `proof:GET /token token:viewer` of a token for the
 * platform, `there:…` for the second installation; `stale:…` has a nonce of another time, `foreign:…` another key.
 */
const proofFactories = ({ variables, proofs }: Sources): Record<string, Make> => {
  const other = createProofs();
  const proofWith =
    (by: Proofs, url: string | undefined, overrides: object = {}): Make =>
    async (rest) => {
      const [method = '', path = '', token] = rest.split(' ');
      // A request with a token goes to the platform, one without to the authority.
      const origin = variables.get(url ?? (token === undefined ? 'authUrl' : 'baseUrl'));
      return by({ method, url: `${origin}${path}`, token: token && variables.get(token), more: overrides });
    };
  return {
    proof: proofWith(proofs, undefined),
    there: proofWith(proofs, 'realmUrl'),
    stale: proofWith(proofs, undefined, { nonce: 'stale' }),
    foreign: proofWith(other, undefined),
  };
};

/** Results of a person's sign-in: `code:`, `refresh:`, and a device's code, `device:approved`, as far as it has come. */
const personFactories = ({ person }: Sources): Record<string, Make> => ({
  code: person.code,
  refresh: person.refreshToken,
  device: async (state) => {
    if (state === 'polled') return person.polledDeviceCode();
    if (state === 'approved') return person.answeredDeviceCode('approve');
    return state === 'denied' ? person.answeredDeviceCode('deny') : person.deviceCode();
  },
});

const factoriesOf = (sources: Sources): Record<string, Make> => {
  const { variables } = sources;
  const scim = { baseUrl: variables.get('baseUrl'), token: variables.get('token:directory') };
  return {
    ...proofFactories(sources),
    ...personFactories(sources),
    // The id of what a directory has just made, by its name: `user:ines`.
    user: (name) => provision(scim, 'user', name),
    group: (name) => provision(scim, 'group', name),
    // A text of this many bytes: `filler:65536`.
    filler: async (length) => 'a'.repeat(Number(length)),
    etag: async (path) => (await fetch(`${variables.get('authUrl')}${path}`)).headers.get('etag') ?? '',
  };
};

export const createFresh = (sources: Sources): Fresh => {
  const factories = new Map(Object.entries(factoriesOf(sources)));
  return async (name) => {
    const colon = name.indexOf(':');
    return factories.get(name.slice(0, colon))?.(name.slice(colon + 1));
  };
};
