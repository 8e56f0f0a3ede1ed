import { SCOPES } from './scopes.ts';

const METHODS = ['client_secret_basic', 'client_secret_post'] as const;

/** What the authority offers (RFC 8414 2, OpenID Connect Discovery 3): the same document at both well-known paths. */
export const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  introspection_endpoint: `${issuer}/introspect`,
  revocation_endpoint: `${issuer}/revoke`,
  end_session_endpoint: `${issuer}/end-session`,
  scopes_supported: SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  token_endpoint_auth_methods_supported: METHODS,
  introspection_endpoint_auth_methods_supported: METHODS,
  revocation_endpoint_auth_methods_supported: METHODS,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  prompt_values_supported: ['none', 'login'],
  claims_supported: ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'name', 'preferred_username'],
});

export type Metadata = ReturnType<typeof metadataOf>;
