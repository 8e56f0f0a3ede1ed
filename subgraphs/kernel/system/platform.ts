export interface Platform {
  /** Public addresses without a trailing slash. */
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly agentUrl: string;
  /** Domain inside predicate types and other identifiers that outsiders verify. */
  readonly platformDomain: string;
  readonly dataDir: string;
  /** `aud` of access tokens. */
  readonly audience: string;
  /** Whether a DPoP proof must carry a nonce of ours (RFC 9449 8). */
  readonly requiresDpopNonce: boolean;
  /** Whether public listeners ask for client certificates (RFC 8705). */
  readonly hasMutualTls: boolean;
  /** Life of a person's session, in milliseconds. */
  readonly sessionMs: number;
  readonly version: string;
}
