import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Caller } from '@landfall/kernel/core/caller';
import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import { isTenantId } from '@landfall/kernel/core/ids';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Secrets } from '@landfall/kernel/crypto/secrets';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** Header of the envelope between two processes of the product. The edge removes it from external requests. */
export const envelopeHeader = 'x-landfall-envelope';

/** Request that an envelope is bound to. */
export interface Bound {
  readonly method: string;
  /** Path with query, exactly as in the request line. */
  readonly path: string;
  readonly body?: string | Uint8Array | undefined;
}

/** Seals a caller between two roles, valid for 30 seconds, one request and one recipient. */
export interface Envelopes {
  /** Creates the header's value. */
  seal(caller: Caller, audience: string, bound: Bound): string;
  /** Opens an envelope. Throws AUTH_TOKEN_MISSING without one, AUTH_TOKEN_INVALID for one that does not verify. */
  open(envelope: string | undefined, bound: Bound): Caller;
}

interface EnvelopesOptions {
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** Name of this process's role: `edge`, `module:orchestrator`. */
  readonly role: string;
}

const lifeMs = 30_000;
// Two machines' clocks may differ by this much.
const skewMs = 5_000;
const macBytes = 32;

const Content = Type.Object({
  from: Type.String({ pattern: '^[a-z:-]{1,64}$' }),
  to: Type.String(),
  at: Type.Integer(),
  tenant: Type.Optional(Type.String()),
  claimedTenant: Type.Optional(Type.String()),
  subject: Type.String(),
  clientId: Type.String(),
  earlierHolders: Type.Optional(Type.Array(Type.String())),
  scopes: Type.Array(Type.String()),
  kind: Type.Union([Type.Literal('user'), Type.Literal('client'), Type.Literal('agent'), Type.Literal('system')]),
  correlationId: Type.String(),
  assertedTenants: Type.Array(Type.String()),
  tokenId: Type.Optional(Type.String()),
  plan: Type.Optional(Type.String()),
  license: Type.Optional(Type.String()),
});

const validator = Compile(Content);
const isContent = (value: unknown): value is Static<typeof Content> => validator.Check(value);

const invalid = (): Fault => new Fault('AUTH_TOKEN_INVALID', 'The envelope is not for this request.');

const parse = (text: string): Static<typeof Content> => {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (isContent(value)) return value;
  } catch {
    // Unreadable input is treated like a forgery.
  }
  throw invalid();
};

const callerOf = ({
  from: _from,
  to: _to,
  at: _at,
  tenant,
  claimedTenant,
  scopes,
  ...rest
}: Static<typeof Content>): Caller => {
  if (tenant !== undefined && !isTenantId(tenant)) throw invalid();
  if (claimedTenant !== undefined && !isTenantId(claimedTenant)) throw invalid();
  return {
    ...rest,
    scopes: new Set(scopes),
    ...(tenant !== undefined && { tenant }),
    ...(claimedTenant !== undefined && { claimedTenant }),
  };
};

const authenticate = (key: Uint8Array, content: string, { method, path, body }: Bound): Buffer =>
  createHmac('sha256', key)
    // Neither a method nor a request target can hold a line break, so the lines cannot be shifted into each other.
    .update(`${content}\n${method}\n${path}\n${sha256Hex(body ?? '')}`)
    .digest();

export const createEnvelopes = ({ secrets, clock, role }: EnvelopesOptions): Envelopes => {
  // Keys of pairs whose envelopes proved good, so that invented senders fill no memory.
  const known = new Map<string, readonly Uint8Array[]>();
  const keysFrom = (from: string, to: string): readonly Uint8Array[] =>
    known.get(`${from}>${to}`) ?? secrets.deriveAll(`envelope/${from}>${to}`);

  return {
    seal(caller, to, bound) {
      const sent = { ...caller, scopes: [...caller.scopes], from: role, to, at: clock.now().getTime() };
      const content = Buffer.from(JSON.stringify(sent)).toString('base64url');
      const keys = keysFrom(role, to);
      known.set(`${role}>${to}`, keys);
      const [current] = keys;
      if (!current) throw new Error('There is no root key.');
      return `${content}.${authenticate(current, content, bound).toString('base64url')}`;
    },
    open(envelope, bound) {
      if (envelope === undefined) throw new Fault('AUTH_TOKEN_MISSING', 'The request carries no envelope.');
      const [content = '', signature = ''] = envelope.split('.');
      const mac = Buffer.from(signature, 'base64url');
      const claimed = parse(content);
      const age = clock.now().getTime() - claimed.at;
      if (claimed.to !== role || age > lifeMs || age < -skewMs) throw invalid();
      const keys = keysFrom(claimed.from, role);
      const isGood = (key: Uint8Array): boolean => timingSafeEqual(authenticate(key, content, bound), mac);
      if (mac.length !== macBytes || !keys.some(isGood)) throw invalid();
      known.set(`${claimed.from}>${role}`, keys);
      return callerOf(claimed);
    },
  };
};
