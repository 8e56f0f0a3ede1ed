import { CustodySoFarDocument } from '../generated/operations.ts';
import { useLive } from '../lib/graph.ts';
import { t } from '../lib/i18n.ts';
import { linkOf } from '../lib/links.ts';
import { Link } from '../ui/Link.tsx';
import { Marks, ShapeIcon } from '../ui/Mark.tsx';
import { Section } from '../ui/Section.tsx';
import { Empty, SkeletonRows, States } from '../ui/States.tsx';
import { custodyLook } from '../ui/Status.tsx';

/** A release's chain as six marks, each the way to its link. */
export function CustodySoFar({ releaseId }: { readonly releaseId: string }) {
  const custody = useLive(CustodySoFarDocument, { releaseId }, ['Attestation', 'Release', 'Promotion', 'Deployment']);
  return (
    <Section
      title={t('custody.sofar')}
      side={
        <Link to="/custody/$releaseId" params={{ releaseId }}>
          {t('custody.open')}
        </Link>
      }
    >
      <States of={custody} skeleton={<SkeletonRows rows={1} />} fault={t('chain.fault')}>
        {({ custody: found }) =>
          found === null ? (
            <Empty>{t('chain.none')}</Empty>
          ) : (
            <Marks label={t('chain.label')}>
              {found.steps.map(({ step, state, reason }) => (
                <li key={step} title={reason ?? undefined}>
                  <Link
                    look="name"
                    className="row"
                    to="/custody/$releaseId"
                    params={{ releaseId }}
                    search={{ link: linkOf(step) }}
                  >
                    <ShapeIcon {...custodyLook(state)} />
                    {t(`custody.${step}`)} <span className="quiet">{t(`custody.so.${state}`)}</span>
                  </Link>
                </li>
              ))}
            </Marks>
          )
        }
      </States>
    </Section>
  );
}
