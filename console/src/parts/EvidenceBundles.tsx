import { useApolloClient } from '@apollo/client/react';
import {
  CreateEvidenceBundleDocument,
  type EvidenceBundleRowFragment,
  EvidenceBundlesDocument,
  ExportBundleDocument,
} from '../generated/operations.ts';
import { useAction, useLiveQuery } from '../lib/graph-hooks.ts';
import { count } from '../lib/i18n.ts';
import { hasScope } from '../lib/session.ts';
import { ActionError } from '../ui/Banner.tsx';
import { Button } from '../ui/Button.tsx';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../ui/QueryResult.tsx';
import { Section } from '../ui/Section.tsx';
import { type Looks, StateLabel } from '../ui/StateLabel.tsx';
import { Time } from '../ui/Time.tsx';
import { t } from './bundle-labels.ts';
import { FileButton } from './FileButton.tsx';

type Export = EvidenceBundleRowFragment['exports'][number];

const LOOKS: Looks<Export['status']> = {
  QUEUED: 'queued-waiting',
  RUNNING: 'running',
  COMPLETE: 'verified',
  FAILED: 'failed',
};

type EvidenceBundlesProps = { readonly kind: 'RELEASE' | 'DEPLOYMENT'; readonly id: string };

/** Frozen lists of the evidence about a release or a deployment, and their archives for auditors. */
export function EvidenceBundles({ kind, id }: EvidenceBundlesProps) {
  const canRead = hasScope('export.viewer');
  const answer = useLiveQuery(EvidenceBundlesDocument, canRead ? { kind, id } : undefined, [
    'EvidenceBundle',
    'EvidenceExport',
  ]);
  const create = useAction(CreateEvidenceBundleDocument);
  const client = useApolloClient();
  if (!canRead) return null;
  const freeze = async () => {
    const made = await create.run({ subject: { kind, id } });
    if (made) await client.refetchQueries({ include: [EvidenceBundlesDocument] });
  };
  return (
    <Section
      title={t('bundles.title')}
      side={
        hasScope('export.operator') && (
          <Button size="small" busy={create.busy} onClick={() => void freeze()}>
            {t('bundles.create')}
          </Button>
        )
      }
    >
      <ActionError problem={create.problem} />
      <QueryResult of={answer} skeleton={<SkeletonRows rows={2} />} fault={t('bundles.fault')}>
        {({ evidenceBundles: { edges } }) => <Bundles bundles={edges.map(({ node }) => node)} />}
      </QueryResult>
    </Section>
  );
}

function Bundles({ bundles }: { readonly bundles: readonly EvidenceBundleRowFragment[] }) {
  if (bundles.length === 0) return <EmptyState>{t('bundles.none')}</EmptyState>;
  return <DataTable label={t('bundles.title')} rows={bundles} columns={bundleColumns()} />;
}

export const bundleColumns = (): Column<EvidenceBundleRowFragment>[] => [
  { name: t('bundles.column.created'), cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: t('bundles.column.artifacts'), cell: (bundle) => <Contents bundle={bundle} /> },
  { name: t('bundles.column.export'), cell: ({ exports: [newest] }) => newest && <Progress of={newest} /> },
  { name: t('bundles.column.actions'), hidden: true, cell: (bundle) => <Actions bundle={bundle} /> },
];

function Contents({ bundle: { artifactCount, missingCount } }: { readonly bundle: EvidenceBundleRowFragment }) {
  return (
    <span>
      {t('bundles.artifacts', { n: artifactCount })}{' '}
      {missingCount > 0 && (
        <StateLabel look="missing-attention">{t('bundles.missing', { n: missingCount })}</StateLabel>
      )}
    </span>
  );
}

function Progress({ of: { status, checkedCount, missingCount, failure } }: { readonly of: Export }) {
  return (
    <span>
      <StateLabel look={LOOKS[status]}>{t(`bundles.export.${status}`)}</StateLabel>{' '}
      {status === 'RUNNING' && <span className="soft">{t('bundles.checked', { n: count(checkedCount) })}</span>}
      {status === 'COMPLETE' && missingCount > 0 && (
        <span className="soft">{t('bundles.left', { n: missingCount })}</span>
      )}
      {failure !== null && <span className="soft">{failure}</span>}
    </span>
  );
}

function Actions({ bundle: { id, exports } }: { readonly bundle: EvidenceBundleRowFragment }) {
  const request = useAction(ExportBundleDocument);
  const client = useApolloClient();
  const [newest] = exports;
  const complete = exports.find(({ status }) => status === 'COMPLETE');
  const isOpen = newest?.status === 'QUEUED' || newest?.status === 'RUNNING';
  const start = async () => {
    const made = await request.run({ bundleId: id });
    if (made) await client.refetchQueries({ include: 'active' });
  };
  return (
    <div>
      {complete && (
        <FileButton path={`${complete.statusPath}/download`} name={`evidence-${complete.id}.tar.gz`}>
          {t('bundles.download')}
        </FileButton>
      )}{' '}
      {!isOpen && hasScope('export.operator') && (
        <Button size="small" busy={request.busy} onClick={() => void start()}>
          {t(complete ? 'bundles.export.again' : 'bundles.export.start')}
        </Button>
      )}
      <ActionError problem={request.problem} />
    </div>
  );
}
