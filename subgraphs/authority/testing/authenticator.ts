import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** CBOR encoder (RFC 8949) of integers, bytes, text and maps. */
type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>;

const head = (major: number, value: number): Buffer => {
  const type = major << 5;
  if (value < 24) return Buffer.of(type | value);
  if (value < 256) return Buffer.of(type | 24, value);
  return Buffer.of(type | 25, value >> 8, value & 255);
};

const cbor = (value: Cbor): Buffer => {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])]);
};

const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest();
const b64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64url');

const FLAGS = { present: 1, verified: 4, portable: 8, backedUp: 16, hasKey: 64 } as const;

interface Behaviour {
  readonly origin: string;
  readonly rpId: string;
  readonly isVerified?: boolean;
  readonly isPortable?: boolean;
}

interface RollbackInput {
  readonly challenge: string;
}

/**
 * Creates an authenticator in software, which stores one credential and its counter, and can send invalid responses.
 */
export const createAuthenticator = ({ origin, rpId, isVerified = true, isPortable = false }: Behaviour) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let handle = '';
  const state = { counter: 0 };
  const flags = FLAGS.present | (isVerified ? FLAGS.verified : 0) | (isPortable ? FLAGS.portable | FLAGS.backedUp : 0);

  const data = (more: number, rest: Buffer = Buffer.alloc(0)): Buffer => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(state.counter);
    return Buffer.concat([sha256(rpId), Buffer.of(flags | more), counter, rest]);
  };
  const clientData = (type: string, challenge: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const common = { id: b64(id), rawId: b64(id), type: 'public-key', clientExtensionResults: {} };

  return {
    credentialId: b64(id),
    /** Increments the signature counter. */
    state,

    create({ challenge, user }: RollbackInput & { readonly user: { readonly id: string } }): string {
      handle = user.id;
      const key = new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, cbor(key)]);
      const attestation = new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', data(FLAGS.hasKey, attested)],
      ]);
      const response = {
        clientDataJSON: b64(clientData('webauthn.create', challenge)),
        attestationObject: b64(cbor(attestation)),
        transports: ['internal'],
      };
      return JSON.stringify({ ...common, response });
    },

    get({ challenge }: RollbackInput): string {
      state.counter += 1;
      const authenticatorData = data(0);
      const assertion = clientData('webauthn.get', challenge);
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(assertion)]), privateKey);
      const response = {
        clientDataJSON: b64(assertion),
        authenticatorData: b64(authenticatorData),
        signature: b64(signature),
        userHandle: handle,
      };
      return JSON.stringify({ ...common, response });
    },
  };
};
