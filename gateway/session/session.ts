import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { constantTimeEqual, type Secrets } from '@landfall/kernel/crypto/secrets';
import type { Database } from '@landfall/kernel/db/database';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import * as store from './session.store.ts';

const Tokens = Type.Object({
  accessToken: Type.String(),
  /** Expiry of the access token in milliseconds since 1970. */
  accessExpiresAt: Type.Integer(),
  refreshToken: Type.Optional(Type.String()),
  idToken: Type.Optional(Type.String()),
  /** Display name of the person. */
  name: Type.String(),
});

/** Tokens of one sign-in. They never leave the server. */
export type Tokens = Static<typeof Tokens>;

/** Console session for the edge. */
export interface Session {
  readonly id: string;
  readonly tenant: string;
  readonly subject: string;
  readonly expiresAt: Date;
  readonly tokens: Tokens;
  /** Expected CSRF header, derived from the id and so not stored. */
  readonly csrf: string;
}

/** Console sessions: the browser has a random id, the database its hash and the sealed tokens. */
export interface Sessions {
  /** Starts a session; its `id` is the cookie's value. */
  start(who: { tenant: string | undefined; subject: string }, tokens: Tokens): Promise<Session>;
  /**
   * Finds a session and refreshes its access token if it expires soon. Undefined if there is none, it has ended, or the
   * authority refuses the refresh.
   * @throws Fault SYS_SERVICE_UNAVAILABLE when the token has expired and the authority cannot be reached
   */
  find(id: string): Promise<Session | undefined>;
  /** Reads a session without using or refreshing it, so its access token may have expired. */
  peek(id: string): Promise<Session | undefined>;
  /** Ends a session and returns its tokens, to be revoked at the authority. */
  end(id: string): Promise<Tokens | undefined>;
  /** Deletes sessions that ended by age; called by a worker. */
  prune(): Promise<number>;
}

export interface SessionsOptions {
  readonly database: Database;
  readonly secrets: Secrets;
  readonly clock: Clock;
  /**
   * Refreshes tokens at the authority, in less than REFRESH_LEASE_MS. Undefined if it refuses, which ends the session;
   * throws if it cannot be reached.
   */
  readonly refresh: (tokens: Tokens) => Promise<Tokens | undefined>;
  readonly sessionMs: number;
  readonly sessionIdleMs: number;
}

// Refreshed this long before the access token ends, so that requests under way never meet an expired one.
const aheadMs = 60_000;
/** Lease of one process on refreshing a session, in milliseconds. */
export const REFRESH_LEASE_MS = 20_000;
const waitMs = 100;
// An idle timeout of hours needs no finer precision, so a request that only reads rarely writes.
const touchMs = 60_000;

const validator = Compile(Tokens);
const isTokens = (value: unknown): value is Tokens => validator.Check(value);

/** Checks the CSRF header of a request that changes something. */
export const isCsrfGood = (session: Pick<Session, 'csrf'>, header: string | undefined): boolean =>
  header !== undefined && constantTimeEqual(session.csrf, header);

export const createSessions = (options: SessionsOptions): Sessions => {
  const { database, secrets, clock, sessionMs, sessionIdleMs } = options;
  // Current root key first; the hash in the row says which one a session began under.
  const csrfKeys = secrets.deriveAll('session/csrf');
  const csrfOf = (id: string, key: Uint8Array): string => createHmac('sha256', key).update(id).digest('base64url');
  const nameOf = (idHash: Buffer): string => `session/${idHash.toString('hex')}`;
  // Refreshes of this process that are under way; the lease in the row decides between processes.
  const refreshing = new Map<string, Promise<Tokens | undefined>>();

  const seal = (tenant: string, idHash: Buffer, tokens: Tokens): Buffer =>
    secrets.seal(tenant, nameOf(idHash), JSON.stringify(tokens));

  const unseal = ({ tenant, sealed }: store.SessionRow, idHash: Buffer): Tokens => {
    const tokens: unknown = JSON.parse(secrets.open(tenant, nameOf(idHash), sealed).toString());
    if (isTokens(tokens)) return tokens;
    throw new TypeError('A session holds something else than tokens.');
  };

  const hasEnded = (tokens: Tokens): boolean => tokens.accessExpiresAt <= clock.now().getTime();
  const isGood = (tokens: Tokens): boolean => tokens.accessExpiresAt - aheadMs > clock.now().getTime();

  /** Refreshes the tokens; if the authority cannot be reached, a token that is still valid is used. */
  const ask = async (idHash: Buffer, tokens: Tokens): Promise<{ fresh: Tokens | undefined }> => {
    try {
      return { fresh: await options.refresh(tokens) };
    } catch (cause) {
      await database.system.write((tx) => store.releaseRefresh(tx, idHash));
      const message = 'The authority cannot be asked to go on with this session.';
      if (hasEnded(tokens)) throw new Fault('SYS_SERVICE_UNAVAILABLE', message, undefined, [], { cause });
      return { fresh: tokens };
    }
  };

  /** Uses the refresh token; requires the lease. */
  const refresh = async (tenant: string, idHash: Buffer, tokens: Tokens): Promise<Tokens | undefined> => {
    const { fresh } = await ask(idHash, tokens);
    if (fresh === tokens) return tokens;
    await database.system.write((tx) =>
      fresh ? store.saveRefreshed(tx, idHash, seal(tenant, idHash, fresh)) : store.remove(tx, idHash),
    );
    return fresh;
  };

  const refreshedTokens = async (row: store.SessionRow, idHash: Buffer): Promise<Tokens | undefined> => {
    const tokens = unseal(row, idHash);
    if (isGood(tokens)) return tokens;
    if (tokens.refreshToken === undefined) return hasEnded(tokens) ? undefined : tokens;
    const isLeased = await database.system.write((tx) => store.leaseRefresh(tx, idHash, row.sealed, REFRESH_LEASE_MS));
    if (isLeased) return refresh(row.tenant, idHash, tokens);
    if (!hasEnded(tokens)) return tokens;
    await pause(waitMs);
    const later = await database.system.read((query) => store.find(query, idHash, sessionIdleMs));
    return later && refreshedTokens(later, idHash);
  };

  const onceAtATime = (row: store.SessionRow, idHash: Buffer): Promise<Tokens | undefined> => {
    const key = idHash.toString('hex');
    const known = refreshing.get(key) ?? refreshedTokens(row, idHash).finally(() => refreshing.delete(key));
    refreshing.set(key, known);
    return known;
  };

  /** Reads the row of a session and derives its CSRF token with the root key that it began under. */
  const read = async (id: string) => {
    const idHash = sha256Bytes(id);
    const row = await database.system.read((query) => store.find(query, idHash, sessionIdleMs));
    const csrf =
      row && csrfKeys.map((key) => csrfOf(id, key)).find((created) => row.csrfHash.equals(sha256Bytes(created)));
    return row && csrf !== undefined ? { row, idHash, csrf } : undefined;
  };

  return {
    async start({ tenant = '', subject }, tokens) {
      const id = randomBytes(32).toString('base64url');
      const idHash = sha256Bytes(id);
      const csrf = csrfOf(id, secrets.derive('session/csrf'));
      const row = { tenant, subject, idHash, sealed: seal(tenant, idHash, tokens), csrfHash: sha256Bytes(csrf) };
      await database.system.write((tx) => store.insert(tx, { ...row, lifeMs: sessionMs }));
      return { id, tenant, subject, tokens, csrf, expiresAt: new Date(clock.now().getTime() + sessionMs) };
    },

    async find(id) {
      const known = await read(id);
      if (!known) return undefined;
      const { row, idHash, csrf } = known;
      const tokens = await onceAtATime(row, idHash);
      if (!tokens) return undefined;
      if (clock.now().getTime() - row.lastSeenAt.getTime() >= touchMs)
        await database.system.write((tx) => store.touch(tx, idHash));
      return { id, tenant: row.tenant, subject: row.subject, expiresAt: row.expiresAt, tokens, csrf };
    },

    async peek(id) {
      const known = await read(id);
      if (!known) return undefined;
      const { row, idHash, csrf } = known;
      const { tenant, subject, expiresAt } = row;
      return { id, tenant, subject, expiresAt, tokens: unseal(row, idHash), csrf };
    },

    async end(id) {
      const idHash = sha256Bytes(id);
      const row = await database.system.read((query) => store.find(query, idHash, sessionIdleMs));
      await database.system.write((tx) => store.remove(tx, idHash));
      return row && unseal(row, idHash);
    },

    prune: () => database.system.write((tx) => store.prune(tx)),
  };
};
