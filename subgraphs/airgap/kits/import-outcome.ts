import { counted } from '@landfall/kernel/operator/command';
import type { KitChanges, KitGate } from './changes.ts';
import type { KitImport } from './imports.store.ts';

const WORDS = { pass: 'passes', fail: 'fails', not_evaluated: 'is not evaluated' } as const;

/** CVEs that are listed. */
const LISTED = 20;

const more = (all: number, listed: number): string => (all > listed ? ` and ${all - listed} more` : '');

const gateLines = ({ rule, releases, isCut, unscanned, changed, changes }: KitGate): readonly string[] => [
  `Gate ${rule}: ${counted(changed, 'result')} would change, of ${counted(releases, 'release')}${isCut ? '; there are more releases' : ''}.`,
  ...(unscanned > 0 ? [`Components without a scan: ${unscanned}.`] : []),
  ...changes.map(({ release, component, environments, before, after, causes }) => {
    const place = environments.length === 0 ? '' : ` in ${environments.join(', ')}`;
    const found = causes.map(({ vulnId, purl, kev }) => `${vulnId}${kev ? ' (exploited)' : ''} in ${purl}`);
    return `  ${release}, ${component}${place}: ${WORDS[before]} today, ${WORDS[after]} after: ${found.join('; ')}`;
  }),
  ...(changed > changes.length ? [` ${more(changed, changes.length)}`] : []),
];

const feedLines = ({ added, changed, withdrawn, newlyExploited, newlyExploitedCount: n }: KitChanges) => {
  const listed = newlyExploited.slice(0, LISTED);
  return [
    `Advisories: ${added} new, ${changed} changed, ${withdrawn} withdrawn.`,
    ...(n > 0 ? [`Newly exploited: ${n}: ${listed.join(', ')}${more(n, listed.length)}.`] : []),
  ];
};

const releaseLines = ({ release, images, blobs, attestations }: KitChanges): readonly string[] => [
  ...(release === null ? [] : [`Release ${release}: ${counted(images, 'image')}, ${counted(blobs, 'blob')} to send.`]),
  ...(attestations > 0 ? [`Attestations that verified: ${attestations}.`] : []),
];

type EndedImport = Pick<
  KitImport,
  'kind' | 'state' | 'isDryRun' | 'missingParts' | 'changes' | 'failureCode' | 'failureMessage'
>;

/** Lines about an import that has ended, or waits for parts. */
export const outcomeLines = ({ kind, state, isDryRun, changes, ...row }: EndedImport): readonly string[] => {
  if (state === 'failed') return [`Refused, ${row.failureCode}: ${row.failureMessage}`];
  if (state === 'waiting') return [`Parts are missing: ${row.missingParts.join(', ')}.`];
  if (changes === null) return [];
  return [
    isDryRun ? 'It would change:' : 'It changed:',
    ...(changes.gate ? gateLines(changes.gate) : []),
    ...(kind === 'feeds' ? feedLines(changes) : releaseLines(changes)),
  ];
};
