import { NavigationCountsDocument } from '../generated/operations.ts';
import { useLiveQuery } from '../lib/graph-hooks.ts';
import { count, t } from '../lib/i18n.ts';
import { hasScope } from '../lib/session.ts';
import { Icon } from '../ui/Icon.tsx';
import { Link } from '../ui/Link.tsx';
import styles from './Nav.module.css';
import { NAVIGATION, type NavigationItem } from './navigation.ts';

const GROUPS = ['now', 'ship', 'prove', 'find', 'run'] as const;

/** Navigation: a column at the side, five tabs on a phone. */
export const Nav = () => (hasScope('orch:read') ? <CountedNav /> : <NavigationItems counts={{}} />);

const CountedNav = () => <NavigationItems counts={useCounts()} />;

type Counts = Partial<Record<NavigationItem['to'], Waiting>>;

function NavigationItems({ counts }: { readonly counts: Counts }) {
  return (
    <nav className={styles.nav} aria-label={t('nav.label')}>
      <div>
        {GROUPS.map((group) => (
          <section key={group} aria-label={t(`nav.${group}`)}>
            {group !== 'now' && <h2>{t(`nav.${group}`)}</h2>}
            <ul>
              {NAVIGATION.filter((item) => item.group === group).map((item) => (
                <NavItem key={item.to} place={item} waiting={counts[item.to]} />
              ))}
            </ul>
          </section>
        ))}
        <button type="button" className={styles.more} popoverTarget="nav-more">
          <Icon name="more" />
          {t('nav.more')}
        </button>
      </div>
      <div popover="auto" id="nav-more" className={styles.sheet}>
        <ul>
          {NAVIGATION.filter(({ tab }) => !tab).map((item) => (
            <NavItem key={item.to} place={item} waiting={undefined} sheet />
          ))}
        </ul>
      </div>
    </nav>
  );
}

type NavItemProps = {
  readonly place: NavigationItem;
  readonly waiting: Waiting | undefined;
  readonly sheet?: boolean;
};

function NavItem({ place: item, waiting, sheet = false }: NavItemProps) {
  const { to, name, icon, tab } = item;
  const leave = () => document.getElementById('nav-more')?.hidePopover();
  return (
    <li>
      <Link
        look="bare"
        to={to}
        className={tab ? styles.tab : undefined}
        activeOptions={{ exact: to === '/' }}
        activeProps={{ 'aria-current': 'page' }}
        {...(sheet ? { onClick: leave } : {})}
      >
        <Icon name={icon} />
        {t(name)}
        {waiting !== undefined && waiting.n > 0 && (
          <span className={styles.count}>
            {count(waiting.n)}
            <span className="sr"> {waiting.what}</span>
          </span>
        )}
      </Link>
    </li>
  );
}

type Waiting = { readonly n: number; readonly what: string };

function useCounts(): Counts {
  const { data } = useLiveQuery(NavigationCountsDocument, {}, ['Promotion', 'Deployment']);
  if (data === undefined) return {};
  return {
    '/inbox': { n: data.today.waiting.length, what: t('nav.waiting') },
    '/deployments': { n: data.deployments.edges.length, what: t('nav.running') },
  };
}
