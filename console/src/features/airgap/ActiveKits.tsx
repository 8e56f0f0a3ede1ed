import { type KitRowFragment, KitsDocument, type KitsQuery } from '../../generated/operations.ts';
import { download } from '../../lib/download.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { useNow } from '../../lib/now.ts';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { DetailSection, DetailToggle } from '../../ui/DetailToggle.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { KitChanges } from './KitChanges.tsx';
import { t } from './labels.ts';
import { nextStep } from './next-step.ts';

type ActiveKitsProps = { readonly open: string | undefined; readonly toggle: (digest: string) => void };

/** Kits in force, one of each channel, and the root under which they were verified. */
export function ActiveKits({ open, toggle }: ActiveKitsProps) {
  const answer = useLiveQuery(KitsDocument, {}, ['KitImport']);
  return (
    <Section title={t('kits.active')} bare>
      <QueryResult of={answer} skeleton={<SkeletonRows rows={3} />} fault={t('kits.fault')}>
        {({ offlineKits, offlineKitRoot }) => (
          <>
            <Root root={offlineKitRoot} />
            <DataTable
              label={t('kits.active')}
              rows={offlineKits}
              rowId={({ digest }) => digest}
              columns={columns(open, toggle)}
              empty={t('kits.none')}
              detail={{ id: open, show: (kit) => <KitDetail kit={kit} /> }}
              labelled
            />
          </>
        )}
      </QueryResult>
    </Section>
  );
}

function Root({ root }: { readonly root: KitsQuery['offlineKitRoot'] }) {
  const now = useNow();
  if (root === null) return <EmptyState>{t('kitRoot.none')}</EmptyState>;
  const { version, threshold, keys, expiresAt, digest } = root;
  const isOver = new Date(expiresAt) <= now;
  return (
    <p className="row" style={{ flexWrap: 'wrap' }}>
      <StateLabel look={isOver ? 'failed' : 'verified'} wrap>
        {t(isOver ? 'kitRoot.expired' : 'kitRoot.valid', { version, threshold, keys })}
      </StateLabel>
      <span className="soft">
        {t('kitRoot.until')} <Time at={expiresAt} as="full" />
      </span>
      <Digest value={digest} />
    </p>
  );
}

const columns = (open: string | undefined, toggle: (digest: string) => void): Column<KitRowFragment>[] => [
  {
    name: t('kit.channel'),
    className: 'breaks',
    cell: ({ digest, channel, revocation }) => (
      <>
        <DetailToggle id={digest} isOpen={open === digest} toggle={() => toggle(digest)}>
          {channel}
        </DetailToggle>
        {revocation !== null && <StateLabel look="failed">{t('kit.revoked')}</StateLabel>}
      </>
    ),
  },
  { name: t('kit.kind'), cell: ({ kind }) => t(`kit.kind.${kind}`) },
  { name: t('kit.sequence'), number: true, cell: ({ sequence }) => count(sequence) },
  { name: t('kit.components'), number: true, cell: ({ components }) => count(components) },
  { name: t('kit.created'), cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: t('kit.expires'), cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
  { name: t('kit.installed'), cell: ({ installedAt }) => <Time at={installedAt} /> },
  { name: t('kit.digest'), cell: ({ digest }) => <Digest value={digest} /> },
];

/** Expiry of a kit or a root, with a mark once it is past. */
export function Expiry({ at }: { readonly at: string }) {
  const isOver = new Date(at) <= useNow();
  return isOver ? (
    <StateLabel look="attention">
      {t('kit.expired')} <Time at={at} />
    </StateLabel>
  ) : (
    <Time at={at} />
  );
}

function KitDetail({ kit }: { readonly kit: KitRowFragment }) {
  const { digest, kitId, changes, receipt, channel, sequence, revocation } = kit;
  return (
    <DetailSection id={digest} label={t('kit.detail', { channel, sequence })}>
      {revocation !== null && (
        <div>
          <StateLabel look="failed" wrap>
            {revocation}
          </StateLabel>
          <p>{nextStep('kit_revoked')}</p>
        </div>
      )}
      <p className="small quiet">
        {t('kit.id')} <span className="code">{kitId}</span>
      </p>
      <KitChanges of={changes} isDone />
      <p>
        {receipt === null ? (
          <span className="soft">{t('kit.receipt.none')}</span>
        ) : (
          <Button
            size="small"
            onClick={() => download(`kit-${channel}-${sequence}-receipt.json`, 'application/json', receipt)}
          >
            <Icon name="down" size={14} />
            {t('kit.receipt')}
          </Button>
        )}
      </p>
    </DetailSection>
  );
}
