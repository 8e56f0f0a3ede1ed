import type { Secrets } from '@landfall/kernel/crypto/secrets';

/** Registration of the console at the authority. */
export interface ConsoleClient {
  readonly id: string;
  readonly secret: string;
  /** Redirect URI of sign-in. */
  readonly redirectUri: string;
  /** Redirect URI after sign-out. */
  readonly postLogoutRedirectUri: string;
}

/** Client id of the console, public and the same everywhere. A UUIDv8 (RFC 9562 5.8). */
const CONSOLE_CLIENT_ID = 'c0450e00-0000-8000-8000-000000000001';

/** Derives the console's client and its secret from the root key, so that edge and authority need not exchange it. */
export const consoleClient = (secrets: Secrets, baseUrl: string): ConsoleClient => ({
  id: CONSOLE_CLIENT_ID,
  secret: secrets.derive('console/client-secret').toString('base64url'),
  redirectUri: `${baseUrl}/session/callback`,
  postLogoutRedirectUri: `${baseUrl}/`,
});
