import type { SealPreflightQuery } from '../../generated/operations.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import styles from './AirGap.module.css';
import { DestinationAddress } from './DestinationAddress.tsx';
import { address, byFeature, type Destination } from './destinations.ts';
import { labelOr, t } from './labels.ts';

/** Destinations that a seal would block or let pass, by feature: what would break stands open. */
export function Preflight({ of: { breaking, destinations } }: { readonly of: SealPreflightQuery['sealPreflight'] }) {
  if (destinations.length === 0) return <EmptyState>{t('sealPreflight.none')}</EmptyState>;
  return (
    <div className={styles.preflight}>
      <p>
        <StateLabel look={breaking > 0 ? 'attention' : 'verified'} wrap>
          {breaking > 0
            ? t('sealPreflight.breaking', { n: breaking, of: destinations.length })
            : t('sealPreflight.passes', { n: destinations.length })}
        </StateLabel>
      </p>
      {byFeature(destinations).map(({ feature, breaking: n, destinations: rows }) => (
        <details key={feature} open={n > 0}>
          <summary>
            <b>{labelOr(`feature.${feature}`, feature)}</b>{' '}
            <span className={n > 0 ? styles.breaking : 'quiet'}>
              {n > 0
                ? t('sealPreflight.feature.breaking', { n, of: rows.length })
                : t('sealPreflight.feature.passes', { n: rows.length })}
            </span>
          </summary>
          <DataTable
            label={t('sealPreflight.of', { feature: labelOr(`feature.${feature}`, feature) })}
            rows={rows}
            rowId={(row) => `${row.source ?? ''} ${address(row)} ${row.transport}`}
            columns={columns()}
          />
        </details>
      ))}
    </div>
  );
}

const columns = (): Column<Destination>[] => [
  {
    name: t('destination'),
    className: 'breaks',
    cell: (row) => <DestinationAddress of={row} />,
  },
  {
    name: t('sealPreflight.verdict'),
    cell: ({ allowed, reason }) => (
      <StateLabel look={allowed ? 'verified' : 'failed'} wrap>
        {allowed ? t('sealPreflight.allowed') : reasonText(reason)}
      </StateLabel>
    ),
  },
  {
    name: t('sealPreflight.source'),
    className: 'breaks',
    cell: ({ source, lastSeenAt }) =>
      source ??
      optional(lastSeenAt, '', (at) => (
        <>
          {t('sealPreflight.seen')} <RelativeTime at={at} as="relative" />
        </>
      )),
  },
];

/** Reason of a block in words; the code of a newer server is its own text. */
export const reasonText = (reason: string | null): string =>
  reason === null ? t('egress.blocked') : labelOr(`egress.reason.${reason}`, reason);
