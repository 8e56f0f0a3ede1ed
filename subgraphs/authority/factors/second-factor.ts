import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { type TenantId, toId } from '@landfall/kernel/core/ids';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import * as backOff from '../users/back-off.ts';
import { userEvent } from '../users/user-events.ts';
import * as users from '../users/users.ts';
import { hashOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import * as store from './totp.store.ts';
import { formatTotpSecret, isTotpCode, newTotpSecret, stepOfCode, totpUri } from './totp.ts';

/** Second factors of a person. */
export interface FactorSummary {
  /** Whether a second factor is required after the password. */
  readonly totp: boolean;
  readonly passkeys: number;
  readonly recoveryCodes: number;
}

export const NO_FACTORS: FactorSummary = { totp: false, passkeys: 0, recoveryCodes: 0 };

type CodeVerdict =
  | { readonly accepted: 'totp' | 'recovery'; readonly recoveryCodes: number }
  /** Wrong or used before. With `waitMs` above 0 it was not checked: too many attempts. */
  | { readonly accepted: undefined; readonly waitMs: number; readonly attemptsLeft: number };

/** TOTP secret pending confirmation, as shown to the person. */
export interface TotpEnrolment {
  readonly uri: string;
  /** Secret for manual entry. */
  readonly secret: string;
}

/** Allowance of wrong codes for a person from all addresses; it permits about a hundred attempts a day. */
const ATTEMPT_LIMIT: backOff.Allowance = { free: 5, longestWaitMs: 900_000 };
const MAX_CODE_LENGTH = 100;

const userIdOf = ({ subject }: Who): users.UserId => toId(subject, 'User');
const attemptKey = ({ tenant, subject }: Who): Buffer => sha256Bytes(JSON.stringify(['factor', tenant, subject]));
const sealName = (userId: users.UserId): string => `totp/${userId}`;

const activeUser = async (tx: Tx, caller: Who): Promise<users.User> => {
  const user = await users.lockActive(tx, caller.tenant, userIdOf(caller));
  if (!user) throw new Fault('PERM_DENIED', 'The caller is not an active person.');
  return user;
};

const enrolmentOf = (bytes: Uint8Array, { username }: users.User): TotpEnrolment => ({
  uri: totpUri(bytes, username),
  secret: formatTotpSecret(bytes),
});

const isOff = (): Fault => new Fault('RES_CONFLICT', 'The second factor is off.', { state: 'off' });
const isOn = (): Fault => new Fault('RES_CONFLICT', 'The second factor is on already.', { state: 'on' });

type Ports = Pick<Deps, 'database' | 'clock' | 'secrets'>;

/** Codes of an authenticator app and recovery codes of one person. */
export const createSecondFactor = ({ database, clock, secrets }: Ports) => {
  const listSummaries = async (
    query: Query,
    tenant: TenantId,
    userIds: readonly users.UserId[],
  ): Promise<ReadonlyMap<users.UserId, FactorSummary>> => {
    const rows = await store.listSummaries(query, tenant, userIds);
    return new Map(rows.map(({ userId, ...facts }) => [userId, facts]));
  };

  const opened = (tenant: TenantId, userId: users.UserId, { sealed }: store.TotpSecret): Buffer =>
    secrets.open(tenant, sealName(userId), sealed);

  const stepOf = (tenant: TenantId, userId: users.UserId, secret: store.TotpSecret, code: string) =>
    isTotpCode(code) ? stepOfCode(opened(tenant, userId, secret), code, clock.now()) : undefined;

  const factorEvent = async (tx: Tx, caller: Who, type: string): Promise<void> =>
    userEvent(tx, caller, type, await activeUser(tx, caller));

  const replaceCodes = async (tx: Tx, caller: Who): Promise<readonly string[]> => {
    const codes = newRecoveryCodes();
    await store.removeRecoveryCodes(tx, caller.tenant, userIdOf(caller));
    await store.insertRecoveryCodes(tx, caller.tenant, userIdOf(caller), codes.map(hashOfRecoveryCode));
    return codes;
  };

  const consume = (caller: Who, code: string): Promise<'totp' | 'recovery' | undefined> =>
    database.write(caller.tenant, async (tx) => {
      const { tenant } = caller;
      const userId = userIdOf(caller);
      const secret = await store.find(tx, tenant, userId);
      if (!secret?.confirmedAt) return undefined;
      const step = stepOf(tenant, userId, secret, code);
      if (step !== undefined) return (await store.consume(tx, tenant, userId, step)) === 1 ? 'totp' : undefined;
      if ((await store.consumeRecoveryCode(tx, tenant, userId, hashOfRecoveryCode(code))) === 0) return undefined;
      await factorEvent(tx, caller, 'recoveryCode.use');
      return 'recovery';
    });

  /** Verifies a TOTP or recovery code, each usable once, with back-off; `caller` has given the right password. */
  const verify = async (caller: Who, code: string): Promise<CodeVerdict> => {
    const key = attemptKey(caller);
    const turn = await database.system.write(async (tx) => {
      const failures = await backOff.count(tx, key, ATTEMPT_LIMIT);
      return { failures, waitMs: failures === undefined ? await backOff.waitMs(tx, key) : 0 };
    });
    const attemptsLeft = Math.max(0, ATTEMPT_LIMIT.free - (turn.failures ?? ATTEMPT_LIMIT.free));
    if (turn.failures === undefined) return { accepted: undefined, waitMs: Math.max(1, turn.waitMs), attemptsLeft };
    const accepted = code.length <= MAX_CODE_LENGTH ? await consume(caller, code) : undefined;
    if (accepted === undefined) return { accepted, waitMs: 0, attemptsLeft };
    await database.system.write((tx) => backOff.forget(tx, key));
    const facts = await database.read(caller.tenant, (query) =>
      listSummaries(query, caller.tenant, [userIdOf(caller)]),
    );
    return { accepted, recoveryCodes: (facts.get(userIdOf(caller)) ?? NO_FACTORS).recoveryCodes };
  };

  return {
    listSummaries,
    verify,

    /** Creates a pending secret, replacing an earlier one. @throws Fault RES_CONFLICT when the factor is on */
    begin: (caller: Who): Promise<TotpEnrolment> =>
      database.write(caller.tenant, async (tx) => {
        const user = await activeUser(tx, caller);
        const bytes = newTotpSecret();
        const sealed = secrets.seal(caller.tenant, sealName(user.id), bytes);
        if ((await store.begin(tx, caller.tenant, user.id, sealed)) === 0) throw isOn();
        return enrolmentOf(bytes, user);
      }),

    /** Pending secret, if any. */
    waiting: (caller: Who): Promise<TotpEnrolment | undefined> =>
      database.read(caller.tenant, async (query) => {
        const user = await users.find(query, caller.tenant, userIdOf(caller));
        const secret = user && (await store.find(query, caller.tenant, user.id));
        if (!user || !secret || secret.confirmedAt) return undefined;
        return enrolmentOf(opened(caller.tenant, user.id, secret), user);
      }),

    /** Enables the factor by its first code and returns the recovery codes; undefined when the code is wrong. */
    confirm: (caller: Who, code: string): Promise<readonly string[] | undefined> =>
      database.write(caller.tenant, async (tx) => {
        const userId = userIdOf(caller);
        const secret = await store.findLocked(tx, caller.tenant, userId);
        if (secret?.confirmedAt) throw isOn();
        const step = secret && stepOf(caller.tenant, userId, secret, code);
        if (step === undefined || (await store.confirm(tx, caller.tenant, userId, step)) === 0) return undefined;
        await factorEvent(tx, caller, 'totp.enable');
        return replaceCodes(tx, caller);
      }),

    /** @throws Fault RES_CONFLICT when it is off */
    disable: (caller: Who): Promise<void> =>
      database.write(caller.tenant, async (tx) => {
        const secret = await store.findLocked(tx, caller.tenant, userIdOf(caller));
        if (!secret?.confirmedAt) throw isOff();
        await store.remove(tx, caller.tenant, userIdOf(caller));
        await store.removeRecoveryCodes(tx, caller.tenant, userIdOf(caller));
        await factorEvent(tx, caller, 'totp.disable');
      }),

    /** Replaces all recovery codes. @throws Fault RES_CONFLICT when the factor is off */
    renewRecoveryCodes: (caller: Who): Promise<readonly string[]> =>
      database.write(caller.tenant, async (tx) => {
        const secret = await store.findLocked(tx, caller.tenant, userIdOf(caller));
        if (!secret?.confirmedAt) throw isOff();
        await factorEvent(tx, caller, 'recoveryCode.renew');
        return replaceCodes(tx, caller);
      }),
  };
};
