/** What the authority is told. Every length of time is in milliseconds. */
export interface AuthoritySettings {
  /** The public origin of the authority, and `iss` of everything it signs: `http://127.0.0.1:4001`. */
  readonly issuer: string;
  /** `aud` of access tokens. */
  readonly audience: string;
  /** Life of an access token (rulings 62). */
  readonly accessTokenMs: number;
  /** Life of an authorization code. */
  readonly codeMs: number;
  /** How long a refresh token may lie unused. */
  readonly refreshIdleMs: number;
  /** Life of a sign-in at the authority itself. */
  readonly sessionMs: number;
  /** Shown on the sign-in page. */
  readonly version: string;
}
