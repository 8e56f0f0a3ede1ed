import type { EnvironmentQuery } from '../../generated/operations.ts';
import { count } from '../../lib/i18n.ts';
import { ReadOnlyDriftTable } from '../../parts/DriftTable.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { Section } from '../../ui/Section.tsx';
import { t } from './labels.ts';

type EnvironmentDriftProps = {
  readonly environmentId: string;
  readonly drift: EnvironmentQuery['estate']['drift'];
};

/** Drifted and unobserved placements of an environment; drift is accepted on the estate page. */
export function EnvironmentDrift({ environmentId, drift: { edges, totalCount } }: EnvironmentDriftProps) {
  return (
    <Section
      title={t('environment.deviations')}
      count={count(totalCount)}
      bare
      side={
        <LinkButton size="small" weight="plain" to="/estate" search={{ env: environmentId }}>
          {t('action.estate')}
        </LinkButton>
      }
    >
      <ReadOnlyDriftTable empty={t('environment.deviations.none')} rows={edges.map(({ node }) => node)} />
    </Section>
  );
}
