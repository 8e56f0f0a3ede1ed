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
  | { readonly accepted: undefined; readonly waitMs: number; readonly triesLeft: number };

/** TOTP secret pending confirmation, as shown to the person. */
export interface TotpEnrolment {
  readonly uri: string;
  /** Secret for manual entry. */
  readonly secret: string;
}

/** Allowance of wrong codes for a person from all addresses; it permits about a hundred attempts a day. */
const GUESSES: backOff.Allowance = { free: 5, longestWaitMs: 900_000 };
const LONGEST_CODE = 100;

const userIdOf = ({ subject }: Who): users.UserId => toId(subject, 'User');
const guessKey = ({ tenant, subject }: Who): Buffer => sha256Bytes(JSON.stringify(['factor', tenant, subject]));
const sealName = (userId: users.UserId): string => `totp/${userId}`;

const activeUser = async (tx: Tx, who: Who): Promise<users.User> => {
  const user = await users.lockActive(tx, who.tenant, userIdOf(who));
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

  const factorEvent = async (tx: Tx, who: Who, type: string): Promise<void> =>
    userEvent(tx, who, type, await activeUser(tx, who));

  const replaceCodes = async (tx: Tx, who: Who): Promise<readonly string[]> => {
    const codes = newRecoveryCodes();
    await store.removeRecoveryCodes(tx, who.tenant, userIdOf(who));
    await store.insertRecoveryCodes(tx, who.tenant, userIdOf(who), codes.map(hashOfRecoveryCode));
    return codes;
  };

  const spend = (who: Who, code: string): Promise<'totp' | 'recovery' | undefined> =>
    database.write(who.tenant, async (tx) => {
      const { tenant } = who;
      const userId = userIdOf(who);
      const secret = await store.find(tx, tenant, userId);
      if (!secret?.confirmedAt) return undefined;
      const step = stepOf(tenant, userId, secret, code);
      if (step !== undefined) return (await store.spend(tx, tenant, userId, step)) === 1 ? 'totp' : undefined;
      if ((await store.consumeRecoveryCode(tx, tenant, userId, hashOfRecoveryCode(code))) === 0) return undefined;
      await factorEvent(tx, who, 'recoveryCode.use');
      return 'recovery';
    });

  /** Verifies a TOTP or recovery code, each usable once, with back-off; `who` has given the right password. */
  const verify = async (who: Who, code: string): Promise<CodeVerdict> => {
    const key = guessKey(who);
    const turn = await database.system.write(async (tx) => {
      const failures = await backOff.count(tx, key, GUESSES);
      return { failures, waitMs: failures === undefined ? await backOff.waitMs(tx, key) : 0 };
    });
    const triesLeft = Math.max(0, GUESSES.free - (turn.failures ?? GUESSES.free));
    if (turn.failures === undefined) return { accepted: undefined, waitMs: Math.max(1, turn.waitMs), triesLeft };
    const accepted = code.length <= LONGEST_CODE ? await spend(who, code) : undefined;
    if (accepted === undefined) return { accepted, waitMs: 0, triesLeft };
    await database.system.write((tx) => backOff.forget(tx, key));
    const facts = await database.read(who.tenant, (query) => listSummaries(query, who.tenant, [userIdOf(who)]));
    return { accepted, recoveryCodes: (facts.get(userIdOf(who)) ?? NO_FACTORS).recoveryCodes };
  };

  return {
    listSummaries,
    verify,

    /** Creates a pending secret, replacing an earlier one. @throws Fault RES_CONFLICT when the factor is on */
    begin: (who: Who): Promise<TotpEnrolment> =>
      database.write(who.tenant, async (tx) => {
        const user = await activeUser(tx, who);
        const bytes = newTotpSecret();
        const sealed = secrets.seal(who.tenant, sealName(user.id), bytes);
        if ((await store.begin(tx, who.tenant, user.id, sealed)) === 0) throw isOn();
        return enrolmentOf(bytes, user);
      }),

    /** Pending secret, if any. */
    waiting: (who: Who): Promise<TotpEnrolment | undefined> =>
      database.read(who.tenant, async (query) => {
        const user = await users.find(query, who.tenant, userIdOf(who));
        const secret = user && (await store.find(query, who.tenant, user.id));
        if (!user || !secret || secret.confirmedAt) return undefined;
        return enrolmentOf(opened(who.tenant, user.id, secret), user);
      }),

    /** Enables the factor by its first code and returns the recovery codes; undefined when the code is wrong. */
    confirm: (who: Who, code: string): Promise<readonly string[] | undefined> =>
      database.write(who.tenant, async (tx) => {
        const userId = userIdOf(who);
        const secret = await store.findLocked(tx, who.tenant, userId);
        if (secret?.confirmedAt) throw isOn();
        const step = secret && stepOf(who.tenant, userId, secret, code);
        if (step === undefined || (await store.confirm(tx, who.tenant, userId, step)) === 0) return undefined;
        await factorEvent(tx, who, 'totp.enable');
        return replaceCodes(tx, who);
      }),

    /** @throws Fault RES_CONFLICT when it is off */
    disable: (who: Who): Promise<void> =>
      database.write(who.tenant, async (tx) => {
        const secret = await store.findLocked(tx, who.tenant, userIdOf(who));
        if (!secret?.confirmedAt) throw isOff();
        await store.remove(tx, who.tenant, userIdOf(who));
        await store.removeRecoveryCodes(tx, who.tenant, userIdOf(who));
        await factorEvent(tx, who, 'totp.disable');
      }),

    /** Replaces all recovery codes. @throws Fault RES_CONFLICT when the factor is off */
    renewRecoveryCodes: (who: Who): Promise<readonly string[]> =>
      database.write(who.tenant, async (tx) => {
        const secret = await store.findLocked(tx, who.tenant, userIdOf(who));
        if (!secret?.confirmedAt) throw isOff();
        await factorEvent(tx, who, 'recoveryCode.renew');
        return replaceCodes(tx, who);
      }),
  };
};
