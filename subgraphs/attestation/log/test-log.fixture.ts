import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { testDeps } from '@landfall/kernel/testing/app';
import pg from 'pg';
import { createTransparencyLog } from './log.ts';

export const ORIGIN = 'landfall.example';

export const bodyOf = (index: number): Buffer => Buffer.from(JSON.stringify({ entry: index }));

/** Creates a log over a database of its own. */
export const testLog = async () => {
  const base = await testDeps();
  const keys = createSigningKeys(base.deps);
  const settings = { origin: ORIGIN, keys };
  const superuser = new pg.Client(base.connection);
  await superuser.connect();
  return {
    ...base,
    keys,
    ...createTransparencyLog(base.deps, settings),
    /** Creates the log of another process over the same database, which has signed nothing yet. */
    another: () => createTransparencyLog(base.deps, settings),
    /** Runs a statement as the owner of the database. */
    tamper: (statement: string, values: unknown[] = []) => superuser.query(statement, values),
    async [Symbol.asyncDispose]() {
      await superuser.end();
      await base[Symbol.asyncDispose]();
    },
  };
};

export type TestLog = Awaited<ReturnType<typeof testLog>>;

/** Appends the bodies of a range concurrently. */
export const appendRange = ({ log }: Pick<TestLog, 'log'>, from: number, to: number) =>
  Promise.all(Array.from({ length: to - from }, (_, index) => log.append(bodyOf(from + index))));
