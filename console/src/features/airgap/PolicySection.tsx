import type { AirGapFactsFragment } from '../../generated/operations.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ExternalLink } from '../../ui/ExternalLink.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import styles from './AirGap.module.css';
import { t } from './labels.ts';

type Policy = NonNullable<AirGapFactsFragment['policy']>;
type Rule = Policy['allowRules'][number];

/** Egress policy as it is stored, with what a blocked person is told. */
export function PolicySection({ airgap: { policy } }: { readonly airgap: AirGapFactsFragment }) {
  return (
    <Section title={t('egressPolicy.title')} bare>
      {policy === null ? (
        <EmptyState>{t('egressPolicy.none')}</EmptyState>
      ) : (
        <>
          <div className={styles.facts}>
            <Facts look="page">
              <Fact label={t('egressPolicy.allowLoopback')}>{t(`egressPolicy.allow.${policy.allowLoopback}`)}</Fact>
              <Fact label={t('egressPolicy.allowPrivateNetworks')}>
                {t(`egressPolicy.allow.${policy.allowPrivateNetworks}`)}
              </Fact>
              <Fact label={t('egressPolicy.help')}>
                <Help policy={policy} />
              </Fact>
            </Facts>
          </div>
          <DataTable
            label={t('egressPolicy.rules')}
            rows={policy.allowRules}
            rowId={({ hostPattern, port, transport }) => `${hostPattern} ${port ?? ''} ${transport ?? ''}`}
            columns={columns()}
            empty={t('egressPolicy.rules.none')}
          />
        </>
      )}
    </Section>
  );
}

function Help({ policy: { remediationDocumentationUrl: url, supportContact } }: { readonly policy: Policy }) {
  if (url === null && supportContact === null) return <span className="quiet">{t('egressPolicy.help.none')}</span>;
  return (
    <span className="row" style={{ flexWrap: 'wrap' }}>
      {url !== null && <ExternalLink href={url}>{url}</ExternalLink>}
      {supportContact !== null && <span>{supportContact}</span>}
    </span>
  );
}

const columns = (): Column<Rule>[] => [
  {
    name: t('egressRule.host'),
    className: 'breaks',
    cell: ({ hostPattern }) => <span className="code">{hostPattern}</span>,
  },
  { name: t('egressRule.port'), number: true, cell: ({ port }) => port ?? t('egressRule.any') },
  { name: t('egressRule.transport'), cell: ({ transport }) => t(`egressRule.transport.${transport ?? 'ANY'}`) },
];
