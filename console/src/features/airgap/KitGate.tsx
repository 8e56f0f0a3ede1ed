import type { KitGateFactsFragment, KitGateOutcome } from '../../generated/operations.ts';
import { listText } from '../../lib/i18n.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ReleaseLink } from '../../ui/EntityLink.tsx';
import { Link } from '../../ui/Link.tsx';
import { type Looks, StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';

type Change = KitGateFactsFragment['changes'][number];

const LOOKS: Looks<KitGateOutcome> = { PASS: 'verified', FAIL: 'failed', NOT_EVALUATED: 'unverified' };

/** Releases whose result a rule over their scans would change, with the result by the advisories in force and by the kit's. */
export function KitGate({ of: gate }: { readonly of: KitGateFactsFragment }) {
  const { rule, releases, isCut, unscanned, changed, changes } = gate;
  return (
    <>
      <h3 className="small soft">{t('kitGate.title')}</h3>
      <p>
        <StateLabel look={changed > 0 ? 'attention' : 'verified'} wrap>
          {t('kitGate.changed', { n: changed, releases })}
        </StateLabel>
      </p>
      {changed > 0 && (
        <DataTable
          label={t('kitGate.title')}
          rows={changes}
          rowId={({ release, component }) => `${release.id} ${component}`}
          columns={columns()}
          labelled
        />
      )}
      <p className="small quiet">
        {t('kitGate.rule')} <span className="code">{rule}</span>. {isCut && t('kitGate.cut', { n: releases })}{' '}
        {unscanned > 0 && t('kitGate.unscanned', { n: unscanned })}{' '}
        {changes.length < changed && t('kitGate.listed', { n: changes.length })}
      </p>
    </>
  );
}

const outcome = (of: KitGateOutcome) => (
  <StateLabel look={LOOKS[of]} wrap>
    {t(`kitGate.outcome.${of}`)}
  </StateLabel>
);

const columns = (): Column<Change>[] => [
  {
    name: t('kitGate.release'),
    className: 'breaks',
    cell: ({ release, component }) => (
      <>
        <ReleaseLink release={release} /> <span className="soft">{component}</span>
      </>
    ),
  },
  {
    name: t('kitGate.environments'),
    className: 'breaks',
    cell: ({ environments }) =>
      environments.length === 0 ? <span className="quiet">{t('kitGate.nowhere')}</span> : listText([...environments]),
  },
  { name: t('kitGate.before'), cell: ({ before }) => outcome(before) },
  { name: t('kitGate.after'), cell: ({ after }) => outcome(after) },
  {
    name: t('kitGate.causes'),
    className: 'breaks',
    cell: ({ causes }) => (
      <div>
        {causes.map(({ vulnId, purl, kev }) => (
          <div key={`${vulnId} ${purl}`}>
            <Link to="/search" search={{ q: vulnId }}>
              {vulnId}
            </Link>{' '}
            <span className="code small">{purl}</span> {kev && <span className="soft">{t('kitGate.exploited')}</span>}
          </div>
        ))}
      </div>
    ),
  },
];
