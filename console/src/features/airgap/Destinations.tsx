import { EgressDecisionsDocument, type EgressDecisionsQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { useOpenRefetch } from '../../lib/use-open-refetch.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ChipGroup, Filters } from '../../ui/Filters.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { DestinationAddress } from './DestinationAddress.tsx';
import { address } from './destinations.ts';
import { labelOr, t } from './labels.ts';
import { reasonText } from './Preflight.tsx';

type Decision = EgressDecisionsQuery['egressDecisions'][number];

/** Pause between looks at the record, in milliseconds: each process writes its decisions every few seconds. */
const RECORD_MS = 5_000;
const LISTED = 50;

type DestinationsProps = {
  readonly only: 'blocked' | undefined;
  readonly choose: (only: 'blocked' | undefined) => void;
};

/** Destinations of the last 30 days with what was decided about them, and why. */
export function Destinations({ only, choose }: DestinationsProps) {
  const answer = useLiveQuery(EgressDecisionsDocument, { blockedOnly: only === 'blocked' }, ['AirGap']);
  useOpenRefetch(true, answer.refetch, RECORD_MS);
  const clear = only === undefined ? undefined : () => choose(undefined);
  return (
    <Section title={t('destinations.title')} bare>
      <Filters clear={clear}>
        <ChipGroup
          value={only}
          options={['blocked'] as const}
          label={() => t('destinations.blocked')}
          choose={choose}
        />
      </Filters>
      <QueryResult of={answer} skeleton={<SkeletonRows rows={4} />} fault={t('destinations.fault')}>
        {({ egressDecisions: rows }) =>
          rows.length === 0 ? (
            <EmptyState clear={clear}>
              {t(only === undefined ? 'destinations.none' : 'destinations.blocked.none')}
            </EmptyState>
          ) : (
            <>
              <DataTable
                label={t('destinations.title')}
                rows={rows}
                rowId={(row) => `${row.feature} ${address(row)} ${row.transport} ${row.isPlatform}`}
                columns={columns()}
                labelled
              />
              {rows.length === LISTED && <p className="small quiet">{t('destinations.first', { n: LISTED })}</p>}
            </>
          )
        }
      </QueryResult>
    </Section>
  );
}

const columns = (): Column<Decision>[] => [
  {
    name: t('destination'),
    className: 'breaks',
    cell: (row) => <DestinationAddress of={row} />,
  },
  {
    name: t('destination.feature'),
    className: 'breaks',
    cell: ({ feature, isPlatform }) => (
      <span>
        {labelOr(`feature.${feature}`, feature)}
        {isPlatform && <span className="small quiet"> {t('destination.platform')}</span>}
      </span>
    ),
  },
  { name: t('destination.verdict'), className: 'breaks', cell: (row) => <Verdict of={row} /> },
  { name: t('destination.allowed'), number: true, cell: ({ allowed }) => count(allowed) },
  { name: t('destination.blocked'), number: true, cell: ({ blocked }) => count(blocked) },
  { name: t('destination.last'), cell: ({ lastAt }) => <RelativeTime at={lastAt} as="relative" /> },
];

function Verdict({ of: { blocked, reason } }: { readonly of: Decision }) {
  if (blocked > 0)
    return (
      <StateLabel look="failed" wrap>
        {t('egress.blocked.why', { reason: reasonText(reason) })}
      </StateLabel>
    );
  if (reason !== null)
    return (
      <StateLabel look="attention" wrap>
        {t('egress.would', { reason: reasonText(reason) })}
      </StateLabel>
    );
  return <StateLabel look="verified">{t('sealPreflight.allowed')}</StateLabel>;
}
