import type { Secrets } from '@landfall/kernel/crypto/secrets';

/** The edge as a client of the authority. */
export interface ConsoleClient {
  readonly id: string;
  readonly secret: string;
  /** Address that the authority sends a browser back to. */
  readonly redirectUri: string;
  /** Address that it sends one back to after sign-out. */
  readonly postLogoutRedirectUri: string;
}

/** Known to every role and no secret. A UUIDv8 (RFC 9562 5.8): its bits mean nothing to others. */
const CONSOLE_CLIENT_ID = 'c0450e00-0000-8000-8000-000000000001';

/** The secret derives from the root key, so that the edge and the authority know it and nobody has to pass it on. */
export const consoleClient = (secrets: Secrets, baseUrl: string): ConsoleClient => ({
  id: CONSOLE_CLIENT_ID,
  secret: secrets.derive('console/client-secret').toString('base64url'),
  redirectUri: `${baseUrl}/session/callback`,
  postLogoutRedirectUri: `${baseUrl}/`,
});
