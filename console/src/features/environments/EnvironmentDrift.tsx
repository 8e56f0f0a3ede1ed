import type { EnvironmentQuery } from '../../generated/operations.ts';
import { count } from '../../lib/i18n.ts';
import { StillDriftTable } from '../../parts/DriftTable.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { Section } from '../../ui/Section.tsx';
import { Empty } from '../../ui/States.tsx';
import { t } from './words.ts';

/** What nobody sees and what nobody approved, here; it is owned on the page of the estate. */
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
        <Empty>{t('environment.strays.none')}</Empty>
      ) : (
        <StillDriftTable rows={edges.map(({ node }) => node)} />
      )}
    </Section>
  );
}
