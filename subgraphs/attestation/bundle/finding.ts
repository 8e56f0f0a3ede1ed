import { type CheckName, type CheckResult, checkNames, required, type Verification } from './verification.ts';

/** Result of one check. `slug` is stable, `message` is for people. */
export interface Finding {
  readonly result: CheckResult;
  readonly slug?: string;
  readonly message?: string;
}

export type Findings = Readonly<Record<CheckName, Finding>>;

export const passed: Finding = { result: 'pass' };

export const failed = (slug: string, message: string): Finding => ({ result: 'fail', slug, message });

export const skipped = (slug: string, message: string): Finding => ({ result: 'skipped', slug, message });

const MAX_MESSAGE = 400;

/** Shortens a message, which may quote an unknown bundle, and replaces its control characters. */
const printable = (message: string): string => message.slice(0, MAX_MESSAGE).replaceAll(/\p{C}/gu, '\uFFFD');

const textOf = ({ slug, message = '' }: Finding): string | undefined =>
  slug === undefined ? undefined : `${slug}: ${printable(message)}`;

/** Combines findings to a verification result. */
export const conclude = (
  findings: Findings,
  { log, signedAt }: Pick<Verification, 'log' | 'signedAt'> = { log: undefined, signedAt: undefined },
): Verification => {
  const entries = checkNames.map((name) => ({ name, finding: findings[name] }));
  const failure = entries.find(({ finding }) => finding.result === 'fail');
  const gap = entries.find(({ name, finding }) => required.has(name) && finding.result !== 'pass');
  const stop = failure ?? gap;
  const result = (name: CheckName): CheckResult => findings[name].result;
  return {
    verified: stop === undefined,
    checks: {
      signature: result('signature'),
      body: result('body'),
      inclusion: result('inclusion'),
      checkpoint: result('checkpoint'),
      consistency: result('consistency'),
      timestamp: result('timestamp'),
      subject: result('subject'),
      predicate: result('predicate'),
    },
    details: Object.fromEntries(
      entries.flatMap(({ name, finding }) => {
        const message = textOf(finding);
        return message === undefined ? [] : [[name, message]];
      }),
    ),
    log,
    signedAt,
    errorMessage: stop && (textOf(stop.finding) ?? `${stop.name}-failed: the check did not pass`),
  };
};

const unreached = skipped('not-reached', 'nothing could be checked');

/** Findings when one check failed before the others could run. */
export const stoppedAt = (name: CheckName, finding: Finding): Findings => ({
  signature: unreached,
  body: unreached,
  inclusion: unreached,
  checkpoint: unreached,
  consistency: unreached,
  timestamp: unreached,
  subject: unreached,
  predicate: unreached,
  [name]: finding,
});
