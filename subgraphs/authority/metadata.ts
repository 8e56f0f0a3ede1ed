import { DPOP_ALGORITHMS } from '@landfall/kernel/identity/dpop-key';
import { AUTH_METHODS } from './clients/credentials.ts';
import { GRANTS, grantTypeOf } from './clients/grant-types.ts';
import { SCOPES } from './protocol/scopes.ts';
import type { AuthoritySettings } from './protocol/settings.ts';

/** Endpoint aliases for clients with certificates (RFC 8705 5). One TLS listener serves all clients. */
const aliasesOf = (issuer: string) => ({
  token_endpoint: `${issuer}/token`,
  revocation_endpoint: `${issuer}/revoke`,
  introspection_endpoint: `${issuer}/introspect`,
  userinfo_endpoint: `${issuer}/userinfo`,
  device_authorization_endpoint: `${issuer}/device_authorization`,
  pushed_authorization_request_endpoint: `${issuer}/par`,
});

/** Server metadata (RFC 8414 2, OpenID Connect Discovery 3), the same at both well-known paths. */
export const metadataOf = ({ issuer, hasMutualTls }: Pick<AuthoritySettings, 'issuer' | 'hasMutualTls'>) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  introspection_endpoint: `${issuer}/introspect`,
  revocation_endpoint: `${issuer}/revoke`,
  userinfo_endpoint: `${issuer}/userinfo`,
  end_session_endpoint: `${issuer}/end-session`,
  device_authorization_endpoint: `${issuer}/device_authorization`,
  pushed_authorization_request_endpoint: `${issuer}/par`,
  require_pushed_authorization_requests: false,
  scopes_supported: SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: GRANTS.map(grantTypeOf),
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  introspection_endpoint_auth_methods_supported: AUTH_METHODS.filter((method) => method !== 'none'),
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  code_challenge_methods_supported: ['S256'],
  dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
  tls_client_certificate_bound_access_tokens: true,
  ...(hasMutualTls && { mtls_endpoint_aliases: aliasesOf(issuer) }),
  authorization_response_iss_parameter_supported: true,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  claims_parameter_supported: false,
  prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
  claims_supported: [
    ...['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'amr', 'nonce'],
    ...['name', 'preferred_username', 'email', 'email_verified', 'groups'],
  ],
});
