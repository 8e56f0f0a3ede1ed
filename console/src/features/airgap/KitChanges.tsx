import { Fragment } from 'react';
import type { KitChangesFactsFragment } from '../../generated/operations.ts';
import { count } from '../../lib/i18n.ts';
import { ReleaseLink } from '../../ui/EntityLink.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { Link } from '../../ui/Link.tsx';
import { t } from './labels.ts';

const COUNTS = ['added', 'changed', 'withdrawn', 'images', 'blobs', 'attestations'] as const;

type KitChangesProps = {
  readonly of: KitChangesFactsFragment;
  /** Vulnerabilities that change the result of a gate: they stand before the others. */
  readonly causes?: readonly string[] | undefined;
  /** Whether the changes took effect; a dry run only says what would change. */
  readonly isDone: boolean;
};

/** Changes that a kit made, or would make. What it does not touch is left out. */
export function KitChanges({ of: changes, causes = [], isDone }: KitChangesProps) {
  const { newlyExploitedCount: n, release } = changes;
  const isCause = new Set(causes);
  const newlyExploited = changes.newlyExploited.toSorted(
    (one, other) => Number(isCause.has(other)) - Number(isCause.has(one)),
  );
  const touched = COUNTS.filter((name) => changes[name] > 0);
  if (touched.length === 0 && n === 0 && release === null)
    return <p className="soft">{t(isDone ? 'kitChanges.none.done' : 'kitChanges.none.dry')}</p>;
  return (
    <>
      <h3 className="small soft">{t(isDone ? 'kitChanges.done' : 'kitChanges.dry')}</h3>
      <Facts look="page">
        {touched.map((name) => (
          <Fact key={name} label={t(`kitChanges.of.${name}`)}>
            {count(changes[name])}
          </Fact>
        ))}
        {n > 0 && (
          <Fact label={t('kitChanges.exploited')}>
            {count(n)}:{' '}
            {newlyExploited.map((cve) => (
              <Fragment key={cve}>
                <Link to="/search" search={{ q: cve }}>
                  {cve}
                </Link>{' '}
              </Fragment>
            ))}
            {newlyExploited.length < n && <span className="quiet"> {t('kitChanges.exploited.more')}</span>}
          </Fact>
        )}
        {release !== null && (
          <Fact label={t('kitChanges.release')}>
            <ReleaseLink release={release} />
          </Fact>
        )}
      </Facts>
    </>
  );
}
