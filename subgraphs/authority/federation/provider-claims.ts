import { createHash } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';

/** Claims of a provider about a person. */
export interface ProviderClaims {
  readonly subject: string;
  readonly username: string | undefined;
  readonly displayName: string | undefined;
  readonly email: string | undefined;
  readonly groups: readonly string[];
  /** Authentication methods (RFC 8176). */
  readonly amr: readonly string[];
}

type Claims = Readonly<Record<string, unknown>>;

const MAX_GROUPS = 1_000;
const MAX_METHODS = 10;

const text = (value: unknown, longest: number): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && value.isWellFormed() && !value.includes('\0')
    ? value.trim().slice(0, longest)
    : undefined;

/** Reads a list or a single name: providers send either. */
const names = (value: unknown, most: number): readonly string[] => {
  const all = (Array.isArray(value) ? value : [value]).map((each) => text(each, 500));
  return [...new Set(all.filter((each) => each !== undefined))].slice(0, most);
};

/** E-mail, if the provider verified it; an unverified one is the person's own statement (Core 5.1). */
const verifiedEmail = ({ email, email_verified: isVerified }: Claims, longest: number): string | undefined =>
  isVerified === true || isVerified === 'true' ? text(email, longest) : undefined;

/**
 * Reads the claims of a provider's ID token.
 * @param groupsClaim name of the claim with groups; it may be an address, so a dot in it is no path
 */
export const readClaims = (claims: Claims, groupsClaim: string): Omit<ProviderClaims, 'subject'> => ({
  username: (text(claims.preferred_username, 300) ?? verifiedEmail(claims, 300))?.toLowerCase(),
  displayName: text(claims.name, 200),
  email: verifiedEmail(claims, 254),
  groups: names(claims[groupsClaim], MAX_GROUPS),
  amr: ['fed', ...names(claims.amr, MAX_METHODS).filter((word) => /^[\w.-]{1,40}$/.test(word) && word !== 'fed')],
});

const HASHES: Readonly<Record<string, string>> = { '256': 'sha256', '384': 'sha384', '512': 'sha512' };

/** Checks an access token against the ID token's `at_hash`, if there is one (OpenID Connect Core 3.1.3.6). */
export const fitsAccessToken = (idToken: string, accessToken: string, atHash: unknown): boolean => {
  if (atHash === undefined) return true;
  const { alg = '' } = decodeProtectedHeader(idToken);
  const hash = HASHES[alg.slice(-3)] ?? (/^Ed/.test(alg) ? 'sha512' : undefined);
  if (hash === undefined) return false;
  const digest = createHash(hash).update(accessToken).digest();
  return atHash === digest.subarray(0, digest.length / 2).toString('base64url');
};
