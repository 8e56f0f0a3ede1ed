import {
  type ArtifactRowFragment,
  DeploymentArtifactsDocument,
  ReleaseArtifactsDocument,
} from '../generated/operations.ts';
import { type QueryState, useLiveQuery } from '../lib/graph-hooks.ts';
import { count } from '../lib/i18n.ts';
import { sizeText } from '../lib/size-text.ts';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { QueryResult, SkeletonRows } from '../ui/QueryResult.tsx';
import { Section } from '../ui/Section.tsx';
import { Time } from '../ui/Time.tsx';
import { ArtifactLink, ArtifactState } from './Artifacts.tsx';
import { t } from './artifact-labels.ts';

const WATCHED = ['Artifact'];

type List = { readonly totalCount: number; readonly items: readonly ArtifactRowFragment[] };

/** Evidence of a release, the newest first. */
export function ReleaseArtifacts({ id }: { readonly id: string }) {
  const answer = useLiveQuery(ReleaseArtifactsDocument, { id }, WATCHED);
  return <ArtifactsSection of={answer} list={({ release }) => release?.artifacts} />;
}

/** Evidence of a deployment, the newest first. */
export function DeploymentArtifacts({ id }: { readonly id: string }) {
  const answer = useLiveQuery(DeploymentArtifactsDocument, { id }, WATCHED);
  return <ArtifactsSection of={answer} list={({ deployment }) => deployment?.artifacts} />;
}

type SectionProps<T> = { readonly of: QueryState<T>; readonly list: (data: T) => List | undefined };

function ArtifactsSection<T>({ of, list }: SectionProps<T>) {
  const found = of.data && list(of.data);
  return (
    <Section title={t('artifacts.of')} count={found && count(found.totalCount)} bare>
      <QueryResult of={of} skeleton={<SkeletonRows rows={2} />} fault={t('artifacts.fault')}>
        {(data) => <Rows list={list(data)} />}
      </QueryResult>
    </Section>
  );
}

function Rows({ list }: { readonly list: List | undefined }) {
  const rows = list?.items ?? [];
  return (
    <>
      <DataTable label={t('artifacts.of')} rows={rows} columns={columns()} empty={t('artifacts.of.none')} labelled />
      {list !== undefined && rows.length < list.totalCount && (
        <p className="small quiet">{t('artifacts.of.first', { n: rows.length, of: list.totalCount })}</p>
      )}
    </>
  );
}

const columns = (): Column<ArtifactRowFragment>[] => [
  { name: t('artifact.bomRef'), className: 'breaks', cell: (row) => <ArtifactLink artifact={row} /> },
  { name: t('artifact.type'), cell: ({ type }) => t(`artifact.type.${type}`) },
  { name: t('artifact.signature'), className: 'breaks', cell: (row) => <ArtifactState of={row} /> },
  { name: t('artifact.size'), number: true, cell: ({ sizeBytes }) => sizeText(sizeBytes) },
  { name: t('artifact.created'), cell: ({ createdAt }) => <Time at={createdAt} /> },
];
