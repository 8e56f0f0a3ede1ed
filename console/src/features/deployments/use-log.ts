import { useApolloClient } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { DeploymentLogDocument } from '../../generated/operations.ts';
import { onChanges } from '../../lib/change-listeners.ts';
import { type Problem, problemOf } from '../../lib/problem.ts';
import type { LogLine } from '../../ui/LogView.tsx';

/** Maximum number of lines on the page; older ones are dropped. */
const MAX = 500;

type Log = { readonly lines: readonly LogLine[]; readonly problem: Problem | undefined };

const EMPTY: Log = { lines: [], problem: undefined };

/** Log of a target's components: read to its end, and continued when the feed reports a change of the deployment. */
export function useLog(deploymentId: string, targetId: string): Log {
  const client = useApolloClient();
  const [log, setLog] = useState<Log & { readonly of: string }>({ ...EMPTY, of: '' });
  const of = `${deploymentId} ${targetId}`;

  useEffect(() => {
    let stopped = false;
    let isAsking = false;
    let askAgain = false;
    let after: string | null = null;
    let total = 0;

    const readOn = async (): Promise<boolean> => {
      const variables = { id: deploymentId, targetId, after };
      const { data } = await client.query({ query: DeploymentLogDocument, variables, fetchPolicy: 'no-cache' });
      const page = data?.deployment?.target?.log;
      if (stopped || page === undefined) return false;
      const lines = page.edges.map(({ node }, index) => ({
        nth: total + index,
        source: node.component,
        text: node.text,
        at: node.at,
      }));
      total += lines.length;
      after = page.pageInfo.endCursor ?? after;
      setLog((before) => ({
        of,
        problem: undefined,
        // A response without lines changes no state, so nothing is rendered again.
        lines:
          lines.length === 0 && before.of === of
            ? before.lines
            : [...(before.of === of ? before.lines : []), ...lines].slice(-MAX),
      }));
      return page.pageInfo.hasNextPage;
    };
    const follow = async () => {
      askAgain = true;
      if (isAsking) return;
      isAsking = true;
      try {
        while (askAgain && !stopped) {
          askAgain = false;
          while (await readOn());
        }
      } catch (error) {
        if (!stopped) setLog((before) => ({ ...before, of, problem: problemOf(error) }));
      }
      isAsking = false;
    };

    void follow();
    const end = onChanges((changes) => {
      if (changes.some(({ type, id }) => type === 'Deployment' && id === deploymentId)) void follow();
    });
    return () => {
      stopped = true;
      end();
    };
  }, [client, deploymentId, targetId, of]);

  return log.of === of ? log : EMPTY;
}
