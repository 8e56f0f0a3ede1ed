import type { LandedItemFragment, RunningItemFragment } from '../../generated/operations.ts';
import { count, t } from '../../lib/i18n.ts';
import { counts, segments } from '../../lib/tally.ts';
import { tallyWords } from '../../lib/tally-words.ts';
import { Link } from '../../ui/Link.tsx';
import { Mark } from '../../ui/Mark.tsx';
import { Meter } from '../../ui/Phases.tsx';
import { Section } from '../../ui/Section.tsx';
import { Empty } from '../../ui/States.tsx';
import { Distance } from '../../ui/Time.tsx';
import styles from './Today.module.css';

/** What runs at this moment and what landed last. */
export function AroundNow({
  running,
  landed,
}: {
  readonly running: readonly RunningItemFragment[];
  readonly landed: readonly LandedItemFragment[];
}) {
  return (
    <aside aria-label={t('today.around')}>
      <Section title={t('today.running')} count={count(running.length)}>
        {running.length === 0 && <Empty>{t('today.running.none')}</Empty>}
        <ul className={styles.items}>
          {running.map((item) => (
            <RunningItem key={item.id} item={item} />
          ))}
        </ul>
      </Section>
      <Section title={t('today.landed')}>
        {landed.length === 0 && <Empty>{t('today.landed.none')}</Empty>}
        <ul className={styles.items}>
          {landed.map((item) => (
            <LandedItem key={item.id} item={item} />
          ))}
        </ul>
      </Section>
    </aside>
  );
}

function RunningItem({ item }: { readonly item: RunningItemFragment }) {
  const tally = counts(item.targets);
  const done = tally.total - tally.running - tally.waiting;
  return (
    <li>
      <div className="row">
        <Link to="/deployments/$id" params={{ id: item.id }}>
          {t('arrow', { what: `${item.release.name} ${item.release.semver}`, where: item.environment.name })}
        </Link>
        <span className="soft push">{t('of', { n: done, of: tally.total })}</span>
      </div>
      <Meter tally={segments(tally)} label={tallyWords(tally)} />
      <p>
        {t('today.started', { who: item.launchedBy.displayName })} <Distance at={item.createdAt} as="relative" />
      </p>
    </li>
  );
}

function LandedItem({ item }: { readonly item: LandedItemFragment }) {
  const { verified, total } = counts(item.targets);
  const whole = item.landingVerification === 'VERIFIED';
  return (
    <li>
      <div className="row">
        <Link look="name" className="clip" to="/deployments/$id" params={{ id: item.id }}>
          {item.release.name} {item.release.semver} <span className="quiet">{item.environment.name}</span>
        </Link>
        <span className="push">
          <Mark shape={whole ? 'verified' : 'unverified'} tone={whole ? 'good' : 'attention'}>
            {t('of', { n: verified, of: total })}
          </Mark>
        </span>
      </div>
    </li>
  );
}
