import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import {
  VexDocumentDetailDocument,
  type VexDocumentDetailQuery,
  type VexDocumentRowFragment,
  VexDocumentTextDocument,
  type VexStatementRowFragment,
} from '../../generated/operations.ts';
import { hex } from '../../lib/digest.ts';
import { download } from '../../lib/download.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { listText } from '../../lib/i18n.ts';
import { type Problem, problemOf } from '../../lib/problem.ts';
import { purlText } from '../../lib/purl-text.ts';
import { VexLabel } from '../../parts/VexLabel.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { DetailSection } from '../../ui/DetailToggle.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { t } from './labels.ts';
import { justificationText, productLines } from './statement-text.ts';

type DetailProps = { readonly document: VexDocumentRowFragment };

/** Detail of a document: its signature, its statements, and what of it could not be read. */
export function DocumentDetail({ document }: DetailProps) {
  const { id, digest, signature } = document;
  const contents = useLiveQuery(VexDocumentDetailDocument, { id });
  return (
    <DetailSection id={id} label={t('vexDocument.detail', { digest: hex(digest).slice(0, 12) })}>
      <div className="row" style={{ flexWrap: 'wrap' }}>
        <Digest value={digest} />
        <span className="soft">{t(`vexDocument.signature.${signature}`)}</span>
        <DownloadButton id={id} name={`vex-${hex(digest).slice(0, 12)}.json`} />
      </div>
      <QueryResult of={contents} skeleton={<SkeletonRows rows={3} />} fault={t('vexDocument.fault')}>
        {({ vexDocument }) =>
          vexDocument === null ? (
            <EmptyState>{t('vexDocument.removed')}</EmptyState>
          ) : (
            <Contents document={document} contents={vexDocument} />
          )
        }
      </QueryResult>
    </DetailSection>
  );
}

type ContentsProps = DetailProps & { readonly contents: NonNullable<VexDocumentDetailQuery['vexDocument']> };

function Contents({ document: { statementCount, problemCount }, contents: { statements, problems } }: ContentsProps) {
  const rows = statements.edges.map(({ node }, position) => ({ ...node, id: String(position) }));
  return (
    <>
      <h3 className="small soft">{t('vexStatements.title')}</h3>
      <DataTable
        label={t('vexStatements.title')}
        rows={rows}
        columns={statementColumns()}
        empty={t('vexStatement.none')}
        labelled
      />
      {rows.length < statementCount && (
        <p className="small quiet">{t('vexDocument.statements.first', { n: rows.length, of: statementCount })}</p>
      )}
      {problems.length > 0 && (
        <>
          <h3 className="small soft">{t('vexDocument.problems')}</h3>
          <DataTable
            label={t('vexDocument.problems')}
            rows={problems}
            rowId={({ path, reason }) => `${path} ${reason}`}
            columns={problemColumns()}
            labelled
          />
        </>
      )}
      {problems.length < problemCount && (
        <p className="small quiet">{t('vexDocument.problems.first', { n: problems.length, of: problemCount })}</p>
      )}
    </>
  );
}

const statementColumns = (): Column<VexStatementRowFragment>[] => [
  {
    name: t('vexStatement.vulnerability'),
    className: 'breaks',
    cell: ({ vulnerabilityIds }) => listText(vulnerabilityIds),
  },
  { name: t('vexStatement.status'), cell: ({ status }) => <VexLabel state={status} /> },
  { name: t('vexStatement.products'), className: 'breaks', cell: (statement) => <Products statement={statement} /> },
  {
    name: t('vexStatement.reason'),
    className: 'breaks',
    cell: ({ justification, impactStatement }) =>
      [justification === null ? '' : justificationText(justification), impactStatement ?? '']
        .filter(Boolean)
        .join('. ') || <span className="quiet">{t('vexStatement.reason.none')}</span>,
  },
];

function Products({ statement: { products } }: { readonly statement: VexStatementRowFragment }) {
  return (
    <ul>
      {productLines(products).map(({ product, component }) => (
        <li key={`${product} ${component ?? ''}`} className="code">
          {component === undefined
            ? purlText(product)
            : t('vexStatement.products.in', { component: purlText(component), product: purlText(product) })}
        </li>
      ))}
    </ul>
  );
}

type DocumentProblem = ContentsProps['contents']['problems'][number];

const problemColumns = (): Column<DocumentProblem>[] => [
  {
    name: t('vexDocument.problem.part'),
    className: 'breaks',
    cell: ({ path }) => <span className="code">{path}</span>,
  },
  { name: t('vexDocument.problem.reason'), className: 'breaks', cell: ({ reason }) => reason },
];

/** Downloads the document as it was added. */
function DownloadButton({ id, name }: { readonly id: string; readonly name: string }) {
  const client = useApolloClient();
  const [problem, setProblem] = useState<Problem>();
  const save = async () => {
    try {
      const { data } = await client.query({
        query: VexDocumentTextDocument,
        variables: { id },
        fetchPolicy: 'no-cache',
      });
      if (data?.vexDocument) download(name, 'application/json', data.vexDocument.text);
      setProblem(undefined);
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <>
      <Button size="small" onClick={() => void save()}>
        <Icon name="down" size={14} />
        {t('vexDocument.download')}
      </Button>
      <ActionError problem={problem} />
    </>
  );
}
