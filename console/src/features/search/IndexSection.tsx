import {
  RebuildSearchIndexDocument,
  type SearchAdapterRowFragment,
  SearchAdaptersDocument,
  SearchCorporaDocument,
  type SearchCorporaQuery,
} from '../../generated/operations.ts';
import { useAction, useLiveQuery } from '../../lib/graph.ts';
import { count } from '../../lib/i18n.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { Table } from '../../ui/Table.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { labelOr, t } from './labels.ts';

/** What is searched: where each corpus comes from, how much of it there is, and the way to read all of it again. */
export function IndexSection({
  ask,
  open,
  close,
}: {
  readonly ask: boolean;
  readonly open: () => void;
  readonly close: () => void;
}) {
  const corpora = useLiveQuery(SearchCorporaDocument, {});
  const adapters = useLiveQuery(SearchAdaptersDocument, {});
  const refetch = () => {
    corpora.refetch();
    adapters.refetch();
  };
  return (
    <>
      <Section
        title={t('corpora.title')}
        side={
          <Button size="small" onClick={open}>
            {t('rebuild.verb')}
          </Button>
        }
      >
        <QueryResult of={corpora} skeleton={<SkeletonRows rows={4} />} fault={t('corpora.fault')}>
          {({ searchCorpora }) => <Corpora corpora={searchCorpora} />}
        </QueryResult>
      </Section>
      <Section title={t('adapters.title')}>
        <QueryResult of={adapters} skeleton={<SkeletonRows rows={3} />} fault={t('adapters.fault')}>
          {({ searchAdapters }) => <Adapters adapters={searchAdapters} />}
        </QueryResult>
      </Section>
      {ask && <Rebuild done={refetch} close={close} />}
    </>
  );
}

function Corpora({ corpora }: { readonly corpora: SearchCorporaQuery['searchCorpora'] }) {
  if (corpora.length === 0) return <EmptyState>{t('corpora.none')}</EmptyState>;
  return (
    <Table
      label={t('corpora.title')}
      list
      labelled
      head={[
        { name: t('corpora.source') },
        { name: t('search.by.domain') },
        { name: t('corpora.documents'), number: true },
        { name: t('corpora.chunks'), number: true },
        { name: t('corpora.updated') },
      ]}
    >
      {corpora.map(({ domain, source, documentCount, chunkCount, updatedAt, isShared }) => (
        <tr key={`${domain} ${source} ${isShared}`}>
          <th scope="row">
            {source} {isShared && <span className="small quiet">{t('corpora.shared')}</span>}
          </th>
          <td data-label={t('search.by.domain')}>{t(`search.domain.${domain}`)}</td>
          <td className="num" data-label={t('corpora.documents')}>
            {count(documentCount)}
          </td>
          <td className="num" data-label={t('corpora.chunks')}>
            {count(chunkCount)}
          </td>
          <td data-label={t('corpora.updated')}>
            {updatedAt !== null && <RelativeTime at={updatedAt} as="relative" />}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Adapters({ adapters }: { readonly adapters: readonly SearchAdapterRowFragment[] }) {
  if (adapters.length === 0) return <EmptyState>{t('adapters.none')}</EmptyState>;
  return (
    <Table
      label={t('adapters.title')}
      list
      labelled
      head={[
        { name: t('adapters.name') },
        { name: t('adapters.source') },
        { name: t('adapters.cause') },
        { name: t('adapters.target') },
        { name: t('adapters.kept'), number: true },
      ]}
    >
      {adapters.map((adapter) => (
        <tr key={adapter.name}>
          <th scope="row">{adapter.name}</th>
          <td data-label={t('adapters.source')}>
            {adapter.source === 'UPSTREAM' ? (
              <StateLabel shape="verified" tone="good">
                {t('adapters.source.UPSTREAM')}
              </StateLabel>
            ) : (
              <StateLabel shape="signed" tone="unknown">
                {t('adapters.source.SNAPSHOT')}
              </StateLabel>
            )}
          </td>
          <td className="breaks soft" data-label={t('adapters.cause')}>
            <Cause adapter={adapter} />
          </td>
          <td className="code breaks" data-label={t('adapters.target')}>
            {adapter.attemptedTarget}
          </td>
          <td className="num" data-label={t('adapters.kept')}>
            {count(adapter.snapshotBackedCount)}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Why an adapter does not read from upstream, and when it tries again. */
function Cause({ adapter: { cause, upstreamSuppressedUntil } }: { readonly adapter: SearchAdapterRowFragment }) {
  if (cause === null && upstreamSuppressedUntil === null) return null;
  return (
    <span>
      {cause !== null && labelOr(`adapters.because.${cause}`, cause)}{' '}
      {upstreamSuppressedUntil !== null && (
        <>
          {t('adapters.suppressed')} <RelativeTime at={upstreamSuppressedUntil} as="relative" />
        </>
      )}
    </span>
  );
}

/** Asks before everything is read again. */
function Rebuild({ done, close }: { readonly done: () => void; readonly close: () => void }) {
  const verb = useAction(RebuildSearchIndexDocument);
  const run = async () => {
    const built = await verb.run({});
    if (built === undefined) return;
    const { chunkCount, domainCount, durationMs } = built.rebuildSearchIndex;
    toast(t('rebuild.done', { chunks: chunkCount, domains: domainCount, s: Math.round(durationMs / 100) / 10 }));
    done();
    close();
  };
  return (
    <ConfirmDialog
      title={t('rebuild.title')}
      lead={t('rebuild.lead')}
      verb={t('rebuild.run')}
      act={verb}
      run={run}
      close={close}
    />
  );
}
