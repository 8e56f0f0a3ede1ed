import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import Type from 'typebox';
import Value from 'typebox/value';
import type { Stage } from './stage.ts';

/** Slot for a random part of an answer: how it is recognised when recorded and verified when replayed. */
interface Slot {
  readonly name: string;
  /** Pattern of its values. */
  readonly pattern: RegExp;
  /** Whether the value is valid, for example a token by its signature. */
  isGood(value: string, stage: Stage): boolean;
  /** Part of the value that is not random, recorded behind the slot's name. */
  says?(value: string): string | undefined;
}

const DAY_SECONDS = 86_400;

const isNear = (seconds: number): boolean => Math.abs(seconds - Date.now() / 1_000) < DAY_SECONDS;

const decoded = (part: string | undefined): unknown => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());

/** Certificate in the header of a registry token, which registries verify against their CA. */
const leafOf = (header: object): X509Certificate | undefined => {
  const chain: unknown = Reflect.get(header, 'x5c');
  const [leaf]: readonly unknown[] = Array.isArray(chain) ? chain : [];
  return typeof leaf === 'string' ? new X509Certificate(Buffer.from(leaf, 'base64')) : undefined;
};

const claimsOf = (token: string): unknown => decoded(token.split('.')[1]);

const timed = Type.Object({ iss: Type.String(), iat: Type.Integer(), exp: Type.Integer() });
const HOUR_SECONDS = 3_600;

/** Whether a token is signed by an issuer of the stage and lives for an hour at most. */
const isOfNow = (token: string, { variables }: Stage): boolean => {
  const claims = claimsOf(token);
  const issuers = ['authUrl', 'baseUrl', 'realmUrl'].map((name) => variables.get(name));
  if (!Value.Check(timed, claims) || !issuers.includes(claims.iss)) return false;
  const life = claims.exp - claims.iat;
  return isNear(claims.iat) && life > 0 && life <= HOUR_SECONDS;
};

const isSigned = (token: string, { keys }: Stage): boolean => {
  const [header, payload, signature] = token.split('.');
  const data = Buffer.from(`${header}.${payload}`);
  const signed = Buffer.from(signature ?? '', 'base64url');
  const decodedHeader = decoded(header);
  const isOwn =
    typeof decodedHeader === 'object' &&
    decodedHeader !== null &&
    'alg' in decodedHeader &&
    decodedHeader.alg === 'ES256';
  const leaf = isOwn ? leafOf(decodedHeader) : undefined;
  if (leaf) return verify('sha256', data, { key: leaf.publicKey, dsaEncoding: 'ieee-p1363' }, signed);
  return isOwn && keys.some((key) => verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signed));
};

const access = Type.Object({
  access: Type.Array(Type.Object({ type: Type.String(), name: Type.String(), actions: Type.Array(Type.String()) })),
});

/** Scopes that a registry token grants; nothing for other tokens. */
const grantsOf = (token: string): string | undefined => {
  const claims = claimsOf(token);
  if (!Value.Check(access, claims)) return undefined;
  return `[${claims.access.map(({ type, name, actions }) => `${type}:${name}:${actions}`).join(' ')}]`;
};

const isBytes = (value: string, length: number): boolean => {
  const bytes = Buffer.from(value, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === value;
};

const isKey = (value: string): boolean => {
  const key = { key: Buffer.from(value, 'base64'), format: 'der', type: 'spki' } as const;
  const { asymmetricKeyType } = createPublicKey(key);
  return asymmetricKeyType === 'ec' || asymmetricKeyType === 'ed25519';
};

const isCertificate = (value: string): boolean => {
  const der = Buffer.from(value, 'base64');
  return new X509Certificate(der).raw.equals(der);
};

/** A signed note: a root of 32 bytes, an Ed25519 signature after four bytes of its key's id (C2SP tlog-checkpoint). */
const isCheckpoint = (value: string): boolean => {
  const [, , root = '', , line = ''] = value.split('\n');
  const lengths = [root, line.split(' ').at(-1) ?? ''].map((text) => Buffer.from(text, 'base64').length);
  return lengths[0] === 32 && lengths[1] === 68;
};

/** Slots in the order of matching. */
const slots: readonly Slot[] = [
  {
    name: 'checkpoint',
    pattern: /[\w.]+\n\d+\n[A-Za-z0-9+/]{43}=\n\n\u2014 [\w.]+ [A-Za-z0-9+/]+=*/,
    isGood: isCheckpoint,
  },
  {
    name: 'jwt:ES256',
    pattern: /eyJ[\w-]+\.[\w-]+\.[\w-]+/,
    isGood: (token, stage) => isSigned(token, stage) && isOfNow(token, stage),
    says: grantsOf,
  },
  { name: 'digest', pattern: /sha256:[0-9a-f]{64}/, isGood: () => true },
  // RFC 9562: versions 4 and 7 are the ones we make.
  {
    name: 'uuid',
    pattern: /[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/,
    isGood: () => true,
  },
  {
    name: 'instant',
    pattern: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/,
    isGood: (value) => isNear(Date.parse(value) / 1_000),
  },
  {
    name: 'second',
    // A day that was announced does not depend on the time of the run: it is compared exactly.
    pattern: /(?<!sunset: )\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/,
    isGood: (value) => isNear(Date.parse(value) / 1_000),
  },
  // A position in the log, or its size: the seals of the audit trail are in it too.
  { name: 'entries', pattern: /(?<="(?:index|treeSize)":)\d+(?=[,}])/, isGood: () => true },
  { name: 'certificate', pattern: /(?<=")MII[A-Za-z0-9+/]{200,}={0,2}(?=")/, isGood: isCertificate },
  { name: 'spki', pattern: /(?<=")M[A-Za-z0-9+/]{58,122}={0,2}(?=")/, isGood: isKey },
  // Payload and signature of a DSSE envelope.
  {
    name: 'payload',
    pattern: /(?<="payload":")[A-Za-z0-9+/]+={0,2}(?=")/,
    isGood: (value) => typeof JSON.parse(Buffer.from(value, 'base64').toString()) === 'object',
  },
  {
    name: 'sig',
    pattern: /(?<="sig":")[A-Za-z0-9+/]+={0,2}(?=")/,
    isGood: (value) => Buffer.from(value, 'base64').length >= 64,
  },
  { name: 'base64:32', pattern: /(?<=")[A-Za-z0-9+/]{43}=(?=")/, isGood: () => true },
  { name: 'hex:32', pattern: /(?<=")[0-9a-f]{64}(?=")/, isGood: () => true },
  { name: 'seconds', pattern: /(?<=[": ])\d{10}(?=[,}])/, isGood: (value) => isNear(Number(value)) },
  {
    name: 'cursor',
    pattern: /(?<="nextCursor":")[\w-]+(?=")/,
    // An id, or a position in the order of the estate.
    isGood: (value) =>
      /^(?:[0-9a-f-]{36}|\[\d,\d+,"[^"]+","[^"]+"\])$/.test(Buffer.from(value, 'base64url').toString()),
  },
  // Number of an installation's own documents, which grows with its documents and routes.
  {
    name: 'corpus',
    pattern: /(?<="(?:documentCount|chunkCount|apiOperationCount|doctorProjectionCount)":)\d+(?=[,}])/,
    isGood: (value) => Number(value) > 0,
  },
  // Duration of an answer: it differs each time, and is always below a minute.
  { name: 'ms', pattern: /(?<="durationMs":)\d+(?:\.\d+)?(?=[,}])/, isGood: (value) => Number(value) < 60_000 },
  { name: 'dpop-nonce', pattern: /(?<=dpop-nonce: )[\w-]{22}/, isGood: () => true },
  // The lifetime of an exchanged token is the rest of its subject's.
  {
    name: 'life',
    pattern: /(?<="expires_in":)\d{1,3}(?=,"scope":"[^"]*","issued_token_type")/,
    isGood: (value) => Number(value) <= 900,
  },
  { name: 'user-code', pattern: /[BCDFGHJ-NP-TVWXZ]{4}-[BCDFGHJ-NP-TVWXZ]{4}/, isGood: () => true },
  { name: 'request-uri', pattern: /(?<=:request_uri:)[\w-]{43}/, isGood: (value) => isBytes(value, 32) },
  { name: 'etag', pattern: /(?<=etag: ")[0-9a-f]{32}(?=")/, isGood: () => true },
  { name: 'bytes:32', pattern: /(?<=")[\w-]{43}(?=")/, isGood: (value) => isBytes(value, 32) },
  { name: 'port', pattern: /(?<=127\.0\.0\.1:)\d{4,5}/, isGood: (value) => Number(value) < 65_536 },
];

/** Part of this value that is recorded behind the slot's name. */
export const recordedPartOf = ({ says: summary }: Slot, value: string): string => summary?.(value) ?? '';

const slotText = (slot: Slot, value: string): string =>
  `{{${`${slot.name} ${recordedPartOf(slot, value)}`.trimEnd()}}}`;

/** Whether the request fixed a value. A plain number is a measurement: its digits are in many a request by chance. */
const isFixedBy = (request: string, value: string): boolean => !/^\d+$/.test(value) && request.includes(value);

/** Replaces every random part of a text by its slot; parts fixed by the request stay. */
export const masked = (text: string, stage: Stage, request: string): string => {
  const known = stage.shown
    .map((name) => [name, stage.variables.get(name) ?? ''] as const)
    .toSorted(([, one], [, other]) => other.length - one.length);
  const named = known.reduce((result, [name, value]) => result.replaceAll(value, `{{${name}}}`), text);
  return slots.reduce(
    (result, slot) =>
      result.replace(new RegExp(slot.pattern, 'g'), (value) =>
        isFixedBy(request, value) ? value : slotText(slot, value),
      ),
    named,
  );
};

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

interface Found {
  readonly slot: Slot;
  readonly value: string;
  /** Part that is recorded behind its name. */
  readonly recorded: string;
}

/** The values of the template's slots in `text`, or undefined when something else differs. */
export const slotValues = (template: string, text: string): Found[] | undefined => {
  const found: Omit<Found, 'value'>[] = [];
  const source = template
    .split(/(\{\{[^}]+\}\})/)
    .map((part) => {
      const [, named, recorded = ''] = /^\{\{(\S+)(?: (.+))?\}\}$/.exec(part) ?? [];
      const slot = slots.find(({ name }) => name === named);
      if (!slot) return literal(part);
      found.push({ slot, recorded });
      return `(${slot.pattern.source})`;
    })
    .join('');
  const match = new RegExp(`^${source}$`).exec(text);
  return match ? found.map((slot, index) => ({ ...slot, value: match[index + 1] ?? '' })) : undefined;
};
