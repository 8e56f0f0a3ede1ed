import { isIP } from 'node:net';

export interface RelyingParty {
  /** The relying party (WebAuthn 3, 5.1.2): the host of the authority. */
  readonly rpId: string;
  readonly origins: readonly string[];
  /** Reason why passkeys do not work here, for operators. */
  readonly unavailableReason: string | undefined;
}

const EXAMPLE = 'LANDFALL_AUTH_URL=http://localhost:4001';

const unavailabilityOf = ({ hostname, protocol }: URL): string | undefined => {
  // A relying party is a domain; browsers refuse an address (WebAuthn 3, 5.1.3 step 8).
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
    return `Passkeys need a name, and this authority is reached by an IP address (${hostname}). Start it with a name, for example ${EXAMPLE}.`;
  // Without a secure context the browser has no WebAuthn at all (Secure Contexts 3.1).
  if (protocol !== 'https:' && hostname !== 'localhost' && !hostname.endsWith('.localhost'))
    return `Passkeys need https, and this authority is reached by ${protocol}//${hostname}. Give it a certificate, or start it at ${EXAMPLE} on this machine.`;
  return undefined;
};

/** Relying party of an issuer. The origin of the console, `baseUrl`, belongs to it only on the issuer's host. */
export const relyingPartyOf = (issuer: string, baseUrl: string): RelyingParty => {
  const [authority, console] = [new URL(issuer), new URL(baseUrl)];
  return {
    rpId: authority.hostname,
    origins: [
      ...new Set([authority, ...(console.hostname === authority.hostname ? [console] : [])].map((url) => url.origin)),
    ],
    unavailableReason: unavailabilityOf(authority),
  };
};
