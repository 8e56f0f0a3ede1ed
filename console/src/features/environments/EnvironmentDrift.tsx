import type { EnvironmentQuery } from '../../generated/operations.ts';
import { count } from '../../lib/i18n.ts';
import { ReadOnlyDriftTable } from '../../parts/DriftTable.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { t } from './labels.ts';

/** Drifted and unobserved placements of an environment; drift is accepted on the estate page. */
export function EnvironmentDrift({
  environmentId,
  drift: { edges, totalCount },
}: {
  readonly environmentId: string;
  readonly drift: EnvironmentQuery['estate']['drift'];
}) {
  return (
    <Section
      title={t('environment.strays')}
      count={count(totalCount)}
      bare
      side={
        <LinkButton size="small" weight="plain" to="/estate" search={{ env: environmentId }}>
          {t('action.estate')}
        </LinkButton>
      }
    >
      {edges.length === 0 ? (
        <EmptyState>{t('environment.strays.none')}</EmptyState>
      ) : (
        <ReadOnlyDriftTable rows={edges.map(({ node }) => node)} />
      )}
    </Section>
  );
}
