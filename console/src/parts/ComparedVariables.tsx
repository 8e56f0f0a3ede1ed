import type { ComparisonFragment } from '../generated/operations.ts';
import { comparisonLabel as t } from '../lib/comparison-labels.ts';
import type { VariableChange } from '../lib/variables.ts';
import { EmptyState } from '../ui/QueryResult.tsx';
import { Section } from '../ui/Section.tsx';
import { VariableChanges } from '../ui/VariableRows.tsx';
import styles from './Comparison.module.css';

const KINDS = { ADDED: 'added', REMOVED: 'removed', CHANGED: 'changed', UNKNOWN: 'changed' } as const;

/** Variables that differ, by name, and the versions that they are of. A secret is its reference, never its value. */
export function ComparedVariables({ comparison }: { readonly comparison: ComparisonFragment }) {
  const { from, to, variables, unchangedVariables } = comparison;
  // Without an environment no variables are compared.
  if (variables === null) return null;
  const hasVersions = from.variableSetVersion !== null || to.variableSetVersion !== null;
  const same = unchangedVariables ?? 0;
  const changes = variables.map(
    (change): VariableChange => ({
      name: change.name,
      kind: KINDS[change.kind],
      before: change.from ?? undefined,
      after: change.to ?? undefined,
    }),
  );
  return (
    <Section title={t('comparison.variables.title')} {...(hasVersions && { count: versionsText(from, to) })}>
      {changes.length === 0 ? (
        <EmptyState>{t('comparison.variables.none', { n: same })}</EmptyState>
      ) : (
        <>
          <VariableChanges changes={changes} />
          {same > 0 && <p className={styles.note}>{t('comparison.variables.same', { n: same })}</p>}
        </>
      )}
    </Section>
  );
}

type Versioned = Pick<ComparisonFragment['from'], 'variableSetVersion'>;

const versionText = ({ variableSetVersion }: Versioned): string =>
  variableSetVersion === null ? t('none') : String(variableSetVersion);

const versionsText = (from: Versioned, to: Versioned): string =>
  from.variableSetVersion === to.variableSetVersion && to.variableSetVersion !== null
    ? t('launch.variables.version', { n: to.variableSetVersion })
    : t('comparison.variables.version', { from: versionText(from), to: versionText(to) });
