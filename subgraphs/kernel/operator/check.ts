import type { Query } from '../db/query.ts';
import * as tables from './tables.store.ts';

/** Result of a check: good, a warning, a failure, or not checkable. */
export type Status = 'pass' | 'warn' | 'fail' | 'unknown';

export interface Finding {
  readonly status: Status;
  readonly says: string;
}

/** Installation under inspection by `landfall doctor`. */
export interface Inspection<S extends object = object> {
  readonly settings: S;
  /** This machine's time. */
  now(): Date;
  /** Statements on the installation's database, as the login of its settings. @throws CannotCheck why there is none */
  database(): Promise<Query>;
  /** The names of the migrations that the database has; none before its first start. @throws CannotCheck */
  migrations(): Promise<readonly string[]>;
}

/** Check of one condition that an operator relies on. `landfall doctor` runs it; search explains it. */
export interface Check<S extends object = object> {
  /** `secret-key`: what the command line and search name it by. */
  readonly id: string;
  readonly title: string;
  /** Why it matters. */
  readonly meaning: string;
  /** Remedy when the check does not pass. */
  readonly remedy: string;
  inspect(installation: Inspection<S>): Promise<Finding>;
}

export const pass = (summary: string): Finding => ({ status: 'pass', says: summary });
export const warn = (summary: string): Finding => ({ status: 'warn', says: summary });
export const fail = (summary: string): Finding => ({ status: 'fail', says: summary });
export const unknown = (summary: string): Finding => ({ status: 'unknown', says: summary });

/** Result before the first start has created a table. */
export const NOT_YET = unknown('not there yet: the first start makes it');

/** Runs an inspection only when the table exists, which a database of another version may lack. */
export const ifTable =
  (name: string, inspect: (query: Query, installation: Inspection) => Promise<Finding>) =>
  async (installation: Inspection): Promise<Finding> => {
    const query = await installation.database();
    const { isThere } = await tables.get(query, name);
    return isThere ? inspect(query, installation) : NOT_YET;
  };
