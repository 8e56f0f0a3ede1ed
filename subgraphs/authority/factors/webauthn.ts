import { isId } from '@landfall/kernel/core/ids';
import { parseJson } from '@landfall/kernel/core/json';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { UserId } from '../users/users.ts';
import type { Credential, NewPasskey, Use } from './passkeys.store.ts';
import type { RelyingParty } from './relying-party.ts';

/** base64url, as `toJSON()` writes every byte string (WebAuthn 3, 5.1.8). */
const encoded = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[\\w-]+$' });
const common = {
  /** A credential id has 1023 bytes at most (WebAuthn 3, 4). */
  id: encoded(1_364),
  rawId: encoded(1_364),
  type: Type.Literal('public-key'),
  clientExtensionResults: Type.Object({}),
};

const registration = Compile(
  Type.Object({
    ...common,
    response: Type.Object({
      clientDataJSON: encoded(4_000),
      attestationObject: encoded(12_000),
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 10 })),
    }),
  }),
);
const authentication = Compile(
  Type.Object({
    ...common,
    response: Type.Object({
      clientDataJSON: encoded(4_000),
      authenticatorData: encoded(4_000),
      signature: encoded(4_000),
      userHandle: Type.Optional(Type.Union([encoded(100), Type.Null()])),
    }),
  }),
);

const isRegistration = (value: unknown): value is RegistrationResponseJSON => registration.Check(value);
const isAuthentication = (value: unknown): value is AuthenticationResponseJSON => authentication.Check(value);

/** The library, loaded with the first passkey: a start that loads it takes a tenth of a second longer. */
const library = () => import('@simplewebauthn/server');
const helpers = () => import('@simplewebauthn/server/helpers');

/** Maps every exception of the library to undefined. */
const unlessRefused = async <T>(verify: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await verify();
  } catch {
    return undefined;
  }
};

/** Supported algorithms EdDSA, ES256 and RS256 (RFC 9053, RFC 8812); every authenticator has one. */
const ALGORITHMS = [-8, -7, -257];
const TIMEOUT_MS = 300_000;

/** User handle: the id alone, which reveals nothing of the person (WebAuthn 3, 14.6.1). */
const handleOf = (userId: UserId): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(userId.replaceAll('-', ''), 'hex'));

const TRANSPORTS: readonly AuthenticatorTransport[] = ['ble', 'hybrid', 'internal', 'nfc', 'usb'];
const isTransport = (word: string): word is AuthenticatorTransport => TRANSPORTS.some((known) => known === word);

interface Registrant {
  readonly userId: UserId;
  readonly username: string;
  readonly displayName: string;
  /** Existing passkeys, excluded from a new registration. */
  readonly known: readonly { readonly credentialId: string; readonly transports: readonly string[] }[];
}

/** Options of `navigator.credentials.create` (WebAuthn 3, 5.4). */
export const creationOptions = async (
  { rpId }: RelyingParty,
  registrant: Registrant,
  challenge: Buffer,
): Promise<object> => {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: 'Landfall',
    rpID: rpId,
    userID: handleOf(registrant.userId),
    userName: registrant.username,
    userDisplayName: registrant.displayName,
    challenge: Uint8Array.from(challenge),
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: registrant.known.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: transports.filter(isTransport),
    })),
    // The sign-in page asks for no name, so the authenticator must find the credential without one.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
};

/** Options of `navigator.credentials.get` (WebAuthn 3, 5.5): any passkey of this relying party. */
export const requestOptions = async ({ rpId }: RelyingParty, challenge: Buffer): Promise<object> => {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: rpId,
    challenge: Uint8Array.from(challenge),
    timeout: TIMEOUT_MS,
    userVerification: 'required',
  });
};

/** Whether an attestation has no certificate: `none`, or self-signed. */
const isAnonymous = async ({ response }: RegistrationResponseJSON): Promise<boolean> => {
  const { decodeAttestationObject } = await helpers();
  const attestation = decodeAttestationObject(Uint8Array.from(Buffer.from(response.attestationObject, 'base64url')));
  const format = attestation.get('fmt');
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
};

/** Verifies the response to a registration's challenge (WebAuthn 3, 7.1). */
export const verifyCreation = async (
  { rpId, origins }: RelyingParty,
  text: string,
  challenge: string,
): Promise<Omit<NewPasskey, 'id' | 'userId' | 'name'> | undefined> => {
  const answer = parseJson(text);
  if (!isRegistration(answer)) return undefined;
  const { verifyRegistrationResponse } = await library();
  const verified = await unlessRefused(async () =>
    (await isAnonymous(answer))
      ? await verifyRegistrationResponse({
          response: answer,
          expectedChallenge: challenge,
          expectedOrigin: [...origins],
          expectedRPID: rpId,
          supportedAlgorithmIDs: ALGORITHMS,
        })
      : undefined,
  );
  if (!verified?.verified) return undefined;
  const { credential, credentialDeviceType, credentialBackedUp } = verified.registrationInfo;
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: (answer.response.transports ?? []).filter(isTransport),
    isPortable: credentialDeviceType === 'multiDevice',
    backedUp: credentialBackedUp,
  };
};

export const credentialIdIn = (text: string): string | undefined => {
  const answer = parseJson(text);
  return isAuthentication(answer) ? answer.id : undefined;
};

const isHandleOf = (handle: string | undefined, userId: UserId): boolean => {
  const hex = Buffer.from(handle ?? '', 'base64url').toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isId(id, 'User') && id === userId.toLowerCase();
};

/** Verifies the response to a sign-in's challenge (WebAuthn 3, 7.2). */
export const verifyRequest = async (
  { rpId, origins }: RelyingParty,
  text: string,
  challenge: string,
  { credentialId, publicKey, userId }: Credential,
): Promise<Use | undefined> => {
  const answer = parseJson(text);
  if (!isAuthentication(answer) || !isHandleOf(answer.response.userHandle, userId)) return undefined;
  const { verifyAuthenticationResponse } = await library();
  const verified = await unlessRefused(() =>
    verifyAuthenticationResponse({
      response: answer,
      expectedChallenge: challenge,
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      // The counter is held against the row as it is written, so that two answers at once cannot both pass.
      credential: { id: credentialId, publicKey: Uint8Array.from(publicKey), counter: 0 },
      requireUserVerification: true,
    }),
  );
  if (!verified?.verified) return undefined;
  const { newCounter: counter, credentialBackedUp: backedUp } = verified.authenticationInfo;
  return { counter, backedUp };
};
