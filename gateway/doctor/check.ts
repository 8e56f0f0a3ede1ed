import type { Query } from '@landfall/kernel/db/query';
import type { GatewaySettings } from '../settings/settings.ts';

/** How a look ended: all is well, somebody should know, something is wrong, or it could not be seen. */
export type Status = 'pass' | 'warn' | 'fail' | 'unknown';

export interface Finding {
  readonly status: Status;
  /** What was seen, in a line. */
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
  /** What to do where it is not as it should be. */
  readonly remedy: string;
  inspect(patient: Inspection): Promise<Finding>;
}

export const pass = (says: string): Finding => ({ status: 'pass', says });
export const warn = (says: string): Finding => ({ status: 'warn', says });
export const fail = (says: string): Finding => ({ status: 'fail', says });
export const unknown = (says: string): Finding => ({ status: 'unknown', says });
