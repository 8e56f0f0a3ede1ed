import { type CheckName, type CheckResult, checkNames, required, type Verification } from './verification.ts';

/** What one check came to. `slug` is stable, `words` are for people. */
export interface Finding {
  readonly result: CheckResult;
  readonly slug?: string;
  readonly words?: string;
}

export type Findings = Readonly<Record<CheckName, Finding>>;

export const passed: Finding = { result: 'pass' };

export const failed = (slug: string, words: string): Finding => ({ result: 'fail', slug, words });

export const skipped = (slug: string, words: string): Finding => ({ result: 'skipped', slug, words });

const MAX_WORDS = 400;

/** Words may quote a stranger's bundle: cut, and without what no terminal and no table should be given. */
const printable = (words: string): string => words.slice(0, MAX_WORDS).replaceAll(/\p{C}/gu, '\uFFFD');

const said = ({ slug, words = '' }: Finding): string | undefined =>
  slug === undefined ? undefined : `${slug}: ${printable(words)}`;

/** The answer that findings add up to. */
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
        const words = said(finding);
        return words === undefined ? [] : [[name, words]];
      }),
    ),
    log,
    signedAt,
    errorMessage: stop && (said(stop.finding) ?? `${stop.name}-failed: the check did not pass`),
  };
};

const unreached = skipped('not-reached', 'nothing could be checked');

/** All that can be said where one check failed before the others could begin. */
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
