import type { LandedItemFragment } from '../../generated/operations.ts';
import { t } from '../../lib/i18n.ts';
import { counts } from '../../lib/tally.ts';
import { Link } from '../../ui/Link.tsx';
import { Mark } from '../../ui/Mark.tsx';
import { Section } from '../../ui/Section.tsx';
import { Empty } from '../../ui/States.tsx';
import styles from './Today.module.css';

/** Latest landings. */
export function AroundNow({ landed }: { readonly landed: readonly LandedItemFragment[] }) {
  return (
    <aside aria-label={t('today.around')}>
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
