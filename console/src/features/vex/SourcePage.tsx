import { getRouteApi } from '@tanstack/react-router';
import {
  type VexDocumentRowFragment,
  VexSourceDetailDocument,
  type VexSourceDetailQuery,
} from '../../generated/operations.ts';
import { hex } from '../../lib/digest.ts';
import { type QueryState, useLiveQuery } from '../../lib/graph-hooks.ts';
import { count } from '../../lib/i18n.ts';
import { mayReadScans, mayWriteScans, SCANS_READ } from '../../lib/scan-permissions.ts';
import { usePageView } from '../../lib/url-state.ts';
import { Button } from '../../ui/Button.tsx';
import { CollapsedCode } from '../../ui/CodeBlock.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { DetailToggle } from '../../ui/DetailToggle.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { ForbiddenAction, SCOPE_DENIED } from '../../ui/Forbidden.tsx';
import { Gauge, Gauges } from '../../ui/Gauges.tsx';
import { ListSection } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { type PageAction, PageHead } from '../../ui/PageHead.tsx';
import { Time } from '../../ui/Time.tsx';
import { DocumentDetail } from './DocumentDetail.tsx';
import { ImportDocument } from './ImportDocument.tsx';
import { t } from './labels.ts';
import { RemoveSource } from './RemoveSource.tsx';
import { EditSource } from './SourceForm.tsx';
import { DocumentTrustLabel, SourceTrustLabel } from './TrustLabels.tsx';

const route = getRouteApi('/scans/vex/$id');

const CRUMBS = () => [
  { path: '/scans', label: t('vexSource.scans') },
  { path: '/scans/vex', label: t('vexSources.title') },
];

type Source = NonNullable<VexSourceDetailQuery['vexSource']>;

/** Page of a source of VEX: its registration, and its documents with what they state. */
export function SourcePage() {
  const { id } = route.useParams();
  if (mayReadScans()) return <SourceDetail id={id} />;
  return (
    <>
      <PageHead crumbs={CRUMBS()} title={t('vexSources.title')} />
      <ForbiddenAction name={t('vexSources.title')} scope={SCANS_READ} permission={SCOPE_DENIED} />
    </>
  );
}

function SourceDetail({ id }: { readonly id: string }) {
  const { after } = route.useSearch();
  const answer = useLiveQuery(VexSourceDetailDocument, { id, after: after ?? null }, ['VexSource']);
  return (
    <EntityPage
      of={answer}
      entity={({ vexSource }) => vexSource}
      fault={t('vexSource.fault')}
      gone={t('vexSource.notFound')}
    >
      {(source) => <Page source={source} answer={answer} />}
    </EntityPage>
  );
}

type PageProps = { readonly source: Source; readonly answer: QueryState<VexSourceDetailQuery> };

function Page({ source, answer }: PageProps) {
  const navigate = route.useNavigate();
  const list = usePageView(route.useSearch(), navigate);
  const { ask } = list.view;
  const open = (what: NonNullable<typeof ask>) => () => list.set({ ask: what });
  const close = () => list.set({ ask: undefined });
  const mayWrite = mayWriteScans();
  const actions: PageAction[] = [
    { id: 'vexDocument.add', keys: 'c', title: t('vexDocument.add'), weight: 'primary', run: open('document') },
    { id: 'vexSource.edit', keys: 'e', title: t('vexSource.edit'), run: open('edit') },
    { id: 'vexSource.remove', title: t('vexSource.remove'), run: open('remove') },
  ];
  return (
    <>
      <PageHead
        crumbs={CRUMBS()}
        title={source.name}
        state={<SourceTrustLabel trust={source.trust} />}
        actions={mayWrite ? actions : []}
      >
        {t(`vexSource.trust.${source.trust}.hint`)}
      </PageHead>
      <Figures source={source} />
      {source.publicKey !== null && (
        <CollapsedCode label={t('vexSource.key.of', { id: source.keyId ?? '' })} text={source.publicKey} />
      )}
      <Documents answer={answer} list={list} add={mayWrite ? open('document') : undefined} />
      {mayWrite && ask === 'document' && <ImportDocument source={source.name} close={close} />}
      {mayWrite && ask === 'edit' && <EditSource source={source} close={close} />}
      {mayWrite && ask === 'remove' && (
        <RemoveSource source={source} close={close} removed={() => void navigate({ to: '/scans/vex' })} />
      )}
    </>
  );
}

function Figures({ source: { rank, totals, createdBy, createdAt } }: { readonly source: Source }) {
  return (
    <Gauges label={t('vexSource.figures')}>
      <Gauge label={t('vexSource.rank')} big={count(rank)} sub={t('vexSource.rank.sub')} />
      <Gauge label={t('vexSource.documents')} big={count(totals.documentCount)} />
      <Gauge label={t('vexSource.statements')} big={count(totals.statementCount)} />
      <Gauge label={t('vexSource.problems')} big={count(totals.problemCount)} sub={t('vexSource.problems.sub')} />
      <Gauge
        label={t('vexSource.created')}
        value={<Time at={createdAt} />}
        sub={t('vexDocument.importedBy', { name: createdBy.displayName })}
      />
    </Gauges>
  );
}

type View = { document: string; after: string; ask: 'document' | 'edit' | 'remove' };

type DocumentsProps = {
  readonly answer: QueryState<VexSourceDetailQuery>;
  readonly list: ReturnType<typeof usePageView<View>>;
  readonly add: (() => void) | undefined;
};

function Documents({ answer, list, add }: DocumentsProps) {
  const { document } = list.view;
  const toggle = (id: string) => list.set({ document: id === document ? undefined : id });
  return (
    <ListSection
      title={t('vexDocuments.title')}
      bare
      of={answer}
      rows={({ vexSource }) => vexSource?.documents ?? []}
      list={list}
      fault={t('vexDocuments.fault')}
      empty={t('vexDocuments.empty')}
      verb={
        add && (
          <Button size="small" onClick={add}>
            {t('vexDocument.add')}
          </Button>
        )
      }
      columns={columns(document, toggle)}
      open={toggle}
      detail={{ id: document, show: (row) => <DocumentDetail document={row} /> }}
      labelled
    />
  );
}

const columns = (open: string | undefined, toggle: (id: string) => void): Column<VexDocumentRowFragment>[] => [
  {
    name: t('vexDocument'),
    cell: ({ id, digest }) => (
      <DetailToggle id={id} isOpen={open === id} toggle={() => toggle(id)}>
        <span className="code">{hex(digest).slice(0, 12)}</span>
      </DetailToggle>
    ),
  },
  { name: t('vexDocument.format'), cell: ({ format }) => t(`vexDocument.format.${format}`) },
  {
    name: t('vexDocument.issued'),
    cell: ({ issuedAt }) => optional(issuedAt, t('vexDocument.issued.none'), (at) => <Time at={at} />),
  },
  { name: t('vexSource.trust'), cell: ({ trust }) => <DocumentTrustLabel trust={trust} /> },
  { name: t('vexSource.statements'), number: true, cell: ({ statementCount }) => count(statementCount) },
  { name: t('vexDocument.problems.count'), number: true, cell: ({ problemCount }) => count(problemCount) },
  {
    name: t('vexDocument.imported'),
    className: 'breaks',
    cell: ({ importedAt, importedBy }) => (
      <span>
        {importedBy.displayName} <Time at={importedAt} />
      </span>
    ),
  },
];
