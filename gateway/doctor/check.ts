import type { Query } from '@landfall/kernel/db/query';
import type { GatewaySettings } from '../settings/settings.ts';

/** Result of a check: good, worth knowing, wrong, or not checkable. */
export type Status = 'pass' | 'warn' | 'fail' | 'unknown';

export interface Finding {
  readonly status: Status;
  /** Finding in one line. */
  readonly says: string;
}

/** An installation as checks look at it. */
export interface Inspection {
  readonly settings: GatewaySettings;
  /** This machine's time. */
  now(): Date;
  /** Statements on the installation's database, as the login of its settings. @throws CannotCheck why there is none */
  database(): Promise<Query>;
  /** The names of the migrations that the database has; none before its first start. @throws CannotCheck */
  migrations(): Promise<readonly string[]>;
}

/** One thing an operator relies on. The command looks at it; the knowledge corpus says what it means. */
export interface Check {
  /** `secret-key`: what the command line and search name it by. */
  readonly id: string;
  readonly title: string;
  /** Why it matters. */
  readonly meaning: string;
  /** Remedy when the check does not pass. */
  readonly remedy: string;
  inspect(patient: Inspection): Promise<Finding>;
}

export const pass = (says: string): Finding => ({ status: 'pass', says });
export const warn = (says: string): Finding => ({ status: 'warn', says });
export const fail = (says: string): Finding => ({ status: 'fail', says });
export const unknown = (says: string): Finding => ({ status: 'unknown', says });
