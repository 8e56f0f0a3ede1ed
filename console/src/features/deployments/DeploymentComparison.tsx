import { DeploymentComparisonDocument } from '../../generated/operations.ts';
import { useQueryOnce } from '../../lib/graph-hooks.ts';
import { Comparison } from '../../parts/Comparison.tsx';
import { t } from './labels.ts';

/** Changes that a deployment brings or brought; what ran in its place when it was launched stays the same. */
export function DeploymentComparison({ id }: { readonly id: string }) {
  const { data, ...state } = useQueryOnce(DeploymentComparisonDocument, { id });
  return <Comparison of={{ ...state, data: data?.deployment?.comparison }} title={t('deployment.changes')} />;
}
