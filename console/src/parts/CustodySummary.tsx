import { CustodySummaryDocument } from '../generated/operations.ts';
import { custodyLink } from '../lib/custody-links.ts';
import { useLiveQuery } from '../lib/graph-hooks.ts';
import { t } from '../lib/i18n.ts';
import { custodyLook } from '../ui/EntityStates.tsx';
import { Link } from '../ui/Link.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../ui/QueryResult.tsx';
import { Section } from '../ui/Section.tsx';
import { ShapeIcon, StateList } from '../ui/StateLabel.tsx';

/** Custody chain of a release as six marks, each a link to its step. */
export function CustodySummary({ releaseId }: { readonly releaseId: string }) {
  const custody = useLiveQuery(CustodySummaryDocument, { releaseId }, [
    'Attestation',
    'Release',
    'Promotion',
    'Deployment',
  ]);
  return (
    <Section
      title={t('custody.progress')}
      side={
        <Link to="/custody/$releaseId" params={{ releaseId }}>
          {t('custody.open')}
        </Link>
      }
    >
      <QueryResult of={custody} skeleton={<SkeletonRows rows={1} />} fault={t('chain.fault')}>
        {({ custody: found }) =>
          found === null ? (
            <EmptyState>{t('chain.none')}</EmptyState>
          ) : (
            <StateList label={t('chain.label')}>
              {found.steps.map(({ step, state, reason }) => (
                <li key={step} title={reason ?? undefined}>
                  <Link
                    look="name"
                    className="row"
                    to="/custody/$releaseId"
                    params={{ releaseId }}
                    search={{ link: custodyLink(step) }}
                  >
                    <ShapeIcon look={custodyLook(state)} />
                    {t(`custody.${step}`)} <span className="quiet">{t(`custody.state.${state}`)}</span>
                  </Link>
                </li>
              ))}
            </StateList>
          )
        }
      </QueryResult>
    </Section>
  );
}
