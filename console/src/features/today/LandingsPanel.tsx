import type { LandingRowFragment } from '../../generated/operations.ts';
import { t } from '../../lib/i18n.ts';
import { countTargets } from '../../lib/target-counts.ts';
import { Link } from '../../ui/Link.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import styles from './Today.module.css';

export function LandingsPanel({ landed }: { readonly landed: readonly LandingRowFragment[] }) {
  return (
    <aside aria-label={t('today.landings')}>
      <Section title={t('today.landed')}>
        {landed.length === 0 && <EmptyState>{t('today.landed.none')}</EmptyState>}
        <ul className={styles.items}>
          {landed.map((item) => (
            <LandedItem key={item.id} item={item} />
          ))}
        </ul>
      </Section>
    </aside>
  );
}

function LandedItem({ item }: { readonly item: LandingRowFragment }) {
  const { verified, total } = countTargets(item.targets);
  const isVerified = item.landingVerification === 'VERIFIED';
  return (
    <li>
      <div className="row">
        <Link look="name" className="clip" to="/deployments/$id" params={{ id: item.id }}>
          {item.release.name} {item.release.semver} <span className="quiet">{item.environment.name}</span>
        </Link>
        <span className="push">
          <StateLabel look={isVerified ? 'verified' : 'unverified'}>{t('of', { n: verified, of: total })}</StateLabel>
        </span>
      </div>
    </li>
  );
}
