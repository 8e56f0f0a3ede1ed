import { counted } from '@landfall/kernel/operator/command';
import type { KitChanges, KitGate } from './changes.ts';
import type { KitImport } from './imports.store.ts';

const WORDS = { pass: 'passes', fail: 'fails', not_evaluated: 'is not evaluated' } as const;

const gateLines = ({ rule, releases, isCut, unscanned, changed, changes }: KitGate): readonly string[] => [
  `Gate ${rule}: ${counted(changed, 'result')} would change, of ${counted(releases, 'release')}${isCut ? '; there are more releases' : ''}.`,
  ...(unscanned > 0 ? [`Components without a scan: ${unscanned}.`] : []),
  ...changes.map(({ release, component, environments, before, after, causes }) => {
    const place = environments.length === 0 ? '' : ` in ${environments.join(', ')}`;
    const found = causes.map(({ vulnId, purl, kev }) => `${vulnId}${kev ? ' (exploited)' : ''} in ${purl}`);
    return `  ${release}, ${component}${place}: ${WORDS[before]} today, ${WORDS[after]} after: ${found.join('; ')}`;
  }),
];

const changeLines = ({ gate, ...changes }: KitChanges): readonly string[] => {
  const { added, changed, withdrawn, newlyExploited, newlyExploitedCount, images, blobs, attestations } = changes;
  return [
    `Advisories: ${added} new, ${changed} changed, ${withdrawn} withdrawn.`,
    ...(newlyExploitedCount > 0 ? [`Newly exploited: ${newlyExploitedCount}: ${newlyExploited.join(', ')}`] : []),
    ...(changes.release === null
      ? []
      : [`Release ${changes.release}: ${counted(images, 'image')}, ${counted(blobs, 'blob')} to send.`]),
    ...(attestations > 0 ? [`Attestations that verified: ${attestations}.`] : []),
    ...(gate ? gateLines(gate) : []),
  ];
};

type EndedImport = Pick<
  KitImport,
  'state' | 'isDryRun' | 'missingParts' | 'changes' | 'failureCode' | 'failureMessage'
>;

/** Lines about an import that has ended, or waits for parts. */
export const outcomeLines = ({ state, isDryRun, ...row }: EndedImport): readonly string[] => {
  if (state === 'failed') return [`Refused, ${row.failureCode}: ${row.failureMessage}`];
  if (state === 'waiting') return [`Parts are missing: ${row.missingParts.join(', ')}.`];
  return [isDryRun ? 'It would change:' : 'It changed:', ...(row.changes ? changeLines(row.changes) : [])];
};
