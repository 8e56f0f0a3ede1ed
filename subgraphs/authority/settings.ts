/** What the authority is told. Every length of time is in milliseconds. */
export interface AuthoritySettings {
  /** The public origin of the authority, and `iss` of everything it signs: `http://127.0.0.1:4001`. */
  readonly issuer: string;
  /** The platform's own public origin: as a resource indicator (RFC 8707) it means `audience`. */
  readonly baseUrl: string;
  /** `aud` of access tokens. */
  readonly audience: string;
  /** Life of an access token (rulings 62). */
  readonly accessTokenMs: number;
  /** Life of an authorization code. */
  readonly codeMs: number;
  /** Life of a device code, and the pause between two polls (RFC 8628 3.2). */
  readonly deviceCodeMs: number;
  readonly devicePollMs: number;
  /** Whether a DPoP proof must carry a nonce of ours (RFC 9449 8). */
  readonly requiresDpopNonce: boolean;
  /** How long a refresh token may lie unused. */
  readonly refreshIdleMs: number;
  /** Life of a sign-in at the authority itself. */
  readonly sessionMs: number;
  /** Whether the authority's own listener asks for client certificates (RFC 8705). */
  readonly hasMutualTls: boolean;
  /** Shown on the sign-in page. */
  readonly version: string;
}
