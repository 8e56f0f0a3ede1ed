import {
  RebuildSearchIndexDocument,
  type SearchAdapterRowFragment,
  SearchAdaptersDocument,
  SearchCorporaDocument,
  type SearchCorporaQuery,
} from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import { Button } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { labelOr, t } from './labels.ts';

type IndexSectionProps = { readonly ask: boolean; readonly open: () => void; readonly close: () => void };

/** Corpora of the index with their sources and sizes, and the action that rebuilds it. */
export function IndexSection({ ask, open, close }: IndexSectionProps) {
  const corpora = useLiveQuery(SearchCorporaDocument, {});
  const adapters = useLiveQuery(SearchAdaptersDocument, {});
  const refetch = () => {
    corpora.refetch();
    adapters.refetch();
  };
  return (
    <>
      <ListSection
        title={t('corpora.title')}
        side={
          <Button size="small" onClick={open}>
            {t('rebuild.verb')}
          </Button>
        }
        of={corpora}
        rows={({ searchCorpora }) => searchCorpora}
        rowId={({ domain, source, isShared }) => `${domain} ${source} ${isShared}`}
        fault={t('corpora.fault')}
        empty={t('corpora.none')}
        columns={corpusColumns()}
        labelled
      />
      <ListSection
        title={t('adapters.title')}
        of={adapters}
        rows={({ searchAdapters }) => searchAdapters}
        rowId={({ name }) => name}
        fault={t('adapters.fault')}
        empty={t('adapters.none')}
        skeleton={3}
        columns={adapterColumns()}
        labelled
      />
      {ask && <Rebuild done={refetch} close={close} />}
    </>
  );
}

const corpusColumns = (): Column<SearchCorporaQuery['searchCorpora'][number]>[] => [
  {
    name: t('corpora.source'),
    cell: ({ source, isShared }) => (
      <>
        {source} {isShared && <span className="small quiet">{t('corpora.shared')}</span>}
      </>
    ),
  },
  { name: t('search.by.domain'), cell: ({ domain }) => t(`search.domain.${domain}`) },
  { name: t('corpora.documents'), number: true, cell: ({ documentCount }) => count(documentCount) },
  { name: t('corpora.chunks'), number: true, cell: ({ chunkCount }) => count(chunkCount) },
  {
    name: t('corpora.updated'),
    cell: ({ updatedAt }) => updatedAt !== null && <RelativeTime at={updatedAt} as="relative" />,
  },
];

const adapterColumns = (): Column<SearchAdapterRowFragment>[] => [
  { name: t('adapters.name'), cell: ({ name }) => name },
  {
    name: t('adapters.source'),
    cell: ({ source }) => (
      <StateLabel look={source === 'UPSTREAM' ? 'verified' : 'signed'}>{t(`adapters.source.${source}`)}</StateLabel>
    ),
  },
  { name: t('adapters.cause'), className: 'soft breaks', cell: (adapter) => <Cause adapter={adapter} /> },
  { name: t('adapters.address'), className: 'code breaks', cell: ({ attemptedTarget }) => attemptedTarget },
  { name: t('adapters.snapshot'), number: true, cell: ({ snapshotBackedCount }) => count(snapshotBackedCount) },
];

/** Why an adapter does not read from upstream, and when it tries again. */
function Cause({ adapter: { cause, upstreamSuppressedUntil } }: { readonly adapter: SearchAdapterRowFragment }) {
  if (cause === null && upstreamSuppressedUntil === null) return null;
  return (
    <span>
      {cause !== null && labelOr(`adapters.cause.${cause}`, cause)}{' '}
      {upstreamSuppressedUntil !== null && (
        <>
          {t('adapters.nextQuery')} <RelativeTime at={upstreamSuppressedUntil} as="relative" />
        </>
      )}
    </span>
  );
}

const Rebuild = ({ done: onDone, close }: { readonly done: () => void; readonly close: () => void }) => (
  <ConfirmAction
    document={RebuildSearchIndexDocument}
    input={{}}
    title={t('rebuild.title')}
    lead={t('rebuild.lead')}
    verb={t('rebuild.run')}
    done={({ rebuildSearchIndex: { chunkCount, domainCount, durationMs } }) =>
      t('rebuild.done', { chunks: chunkCount, domains: domainCount, s: Math.round(durationMs / 100) / 10 })
    }
    onDone={() => {
      onDone();
      close();
    }}
    close={close}
  />
);
