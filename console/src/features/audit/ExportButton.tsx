import type { ApolloClient } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import {
  type AuditFilter,
  type AuditRowFragment,
  AuditTrailDocument,
  type AuditTrailQuery,
} from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { csv, download } from '../../lib/download.ts';
import { type Problem, problemOf } from '../../lib/problem.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { t } from './labels.ts';

const PAGE = 100;
/** Most rows of an export; a longer one is marked as incomplete in its file name. */
const MAX = 10_000;

const HEAD = ['id', 'at', 'type', 'entity', 'entityId', 'version', 'actor', 'actorName', 'correlationId', 'data'];

const lineOf = (row: AuditRowFragment): readonly string[] => [
  ...[row.id, row.at, row.type, row.entity, row.entityId, String(row.version)],
  ...[row.actor.id, row.actor.displayName, row.correlationId, row.data],
];

/** Every row that fits the filter, the newest first, page by page. */
async function readAll(client: ApolloClient, filter: AuditFilter) {
  const rows: AuditRowFragment[] = [];
  let after: string | null = null;
  let hasMore = true;
  while (hasMore && rows.length < MAX) {
    const { data }: ApolloClient.QueryResult<AuditTrailQuery> = await client.query({
      query: AuditTrailDocument,
      variables: { filter, first: PAGE, after },
      fetchPolicy: 'no-cache',
    });
    const page: AuditTrailQuery['auditTrail'] | undefined = data?.auditTrail;
    rows.push(...(page?.edges.map(({ node }) => node) ?? []));
    after = page?.pageInfo.endCursor ?? null;
    hasMore = page?.pageInfo.hasNextPage === true && after !== null;
  }
  return { rows, isWhole: !hasMore };
}

export function ExportButton({ filter }: { readonly filter: AuditFilter }) {
  const client = useApolloClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const run = async () => {
    setBusy(true);
    try {
      const { rows, isWhole: isComplete } = await readAll(client, filter);
      download(isComplete ? 'audit.csv' : `audit-newest-${MAX}.csv`, 'text/csv', csv(HEAD, rows.map(lineOf)));
      setProblem(undefined);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  useCommands([{ id: 'audit.csv', title: t('audit.csv'), run: () => void run() }]);
  return (
    <>
      <Button size="small" busy={busy} onClick={() => void run()}>
        {t('audit.csv')}
      </Button>
      {problem !== undefined && <ActionError problem={problem} />}
    </>
  );
}
