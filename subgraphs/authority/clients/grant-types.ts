/** Grant names of the graph with their names on the wire. */
const GRANT_TYPES = {
  authorization_code: 'authorization_code',
  client_credentials: 'client_credentials',
  device_code: 'urn:ietf:params:oauth:grant-type:device_code',
  password: 'password',
  refresh_token: 'refresh_token',
  token_exchange: 'urn:ietf:params:oauth:grant-type:token-exchange',
} as const;

type OAuthGrant = keyof typeof GRANT_TYPES;

export const GRANTS = [
  'authorization_code',
  'client_credentials',
  'device_code',
  'password',
  'refresh_token',
  'token_exchange',
] as const satisfies readonly OAuthGrant[];

export const isGrant = (word: string): word is OAuthGrant => Object.hasOwn(GRANT_TYPES, word);

/** `grant_type` on the wire, for the metadata: RFC 6749 4, RFC 8628 3.4, RFC 8693 2.1. */
export const grantTypeOf = (grant: OAuthGrant): string => GRANT_TYPES[grant];

export const isRegisteredFor = ({ grants }: { readonly grants: readonly string[] }, grantType: string): boolean =>
  grants.some((grant) => isGrant(grant) && GRANT_TYPES[grant] === grantType);
