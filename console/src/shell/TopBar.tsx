import { useApolloClient } from '@apollo/client/react';
import { AccountUrlDocument } from '../generated/operations.ts';
import { useFreshness } from '../lib/freshness.ts';
import { t } from '../lib/i18n.ts';
import { useNow } from '../lib/now.ts';
import { session, signOut } from '../lib/session.ts';
import { age } from '../lib/time.ts';
import { Icon, Logo } from '../ui/Icon.tsx';
import { KeyCaps } from '../ui/KeyCaps.tsx';
import { Link } from '../ui/Link.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './TopBar.module.css';

/** Top bar: tenant, search, freshness, clock and account. */
export function TopBar({ find, help }: { readonly find: () => void; readonly help: () => void }) {
  return (
    <header className={styles.top}>
      <div className={styles.brand}>
        <Logo />
        {t('product')}
      </div>
      <div className={styles.bar}>
        <span className={styles.tenant}>
          <span className="sr">{t('shell.tenant')} </span>
          {session().tenant}
        </span>
        <button type="button" className={styles.find} aria-haspopup="dialog" onClick={find}>
          <Icon name="search" size={14} />
          {t('palette.open')}
          <KeyCaps keys="mod+k" />
        </button>
        <LiveMark />
        <span className={styles.clock}>
          <Clock />
        </span>
        <Account help={help} />
      </div>
    </header>
  );
}

/** Freshness of the page: live, lagging, catching up, or stale, with its age. */
function LiveMark() {
  const { state, since } = useFreshness();
  return (
    <span className={`${styles.fresh} ${styles[state] ?? ''}`} role="status">
      <svg width={14} height={14} viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="3.4" fill="currentColor" />
        <circle
          cx="8"
          cy="8"
          r="6.2"
          fill="none"
          stroke="currentColor"
          strokeDasharray={state === 'live' ? undefined : '3 2'}
        />
      </svg>
      {state === 'behind' ? <LagNotice since={since} /> : t(`liveUpdates.${state}`)}
      {state === 'stale' && <StaleAge since={since} />}
    </span>
  );
}

/** Delay of the change feed: in full on a wide screen and for screen readers, by the age alone on a phone. */
function LagNotice({ since }: { readonly since: Date }) {
  const now = useNow();
  return (
    <>
      <span className="sr">{t('liveUpdates.behind')}</span>
      <span className={styles.wide} aria-hidden="true">
        {t('liveUpdates.behind.by', { age: age(now.getTime() - since.getTime()) })}
      </span>
      <span className={styles.narrow} aria-hidden="true">
        {t('liveUpdates.behind.short', { age: age(now.getTime() - since.getTime()) })}
      </span>
    </>
  );
}

/** Age of a stale page, outside the live region: a number that changes each second is not read out. */
function StaleAge({ since }: { readonly since: Date }) {
  const now = useNow();
  return <span aria-hidden="true">{age(now.getTime() - since.getTime())}</span>;
}

function Clock() {
  return <Time at={useNow().toISOString()} as="clock" />;
}

function Account({ help }: { readonly help: () => void }) {
  const { name, tenant } = session();
  const hide = () => document.getElementById('account')?.hidePopover();
  const client = useApolloClient();
  /** Opens the authority's own page: password, second factor, sessions. */
  const openAccount = async () => {
    const { data } = await client.query({ query: AccountUrlDocument }).catch(() => ({ data: undefined }));
    if (data) location.assign(data.me.accountUrl);
    else hide();
  };
  return (
    <>
      <button type="button" className={styles.who} popoverTarget="account" aria-label={t('account.label', { name })}>
        {initials(name)}
      </button>
      <div popover="auto" id="account" className={styles.account}>
        <p>
          <b>{name}</b>
          <span className="small quiet">{tenant}</span>
        </p>
        <button type="button" onClick={() => void openAccount()}>
          {t('account.open')}
        </button>
        <Link look="bare" to="/settings" onClick={hide}>
          {t('nav.settings')}
        </Link>
        <button
          type="button"
          onClick={() => {
            hide();
            help();
          }}
        >
          {t('help.title')}
          <kbd className="push">?</kbd>
        </button>
        <button type="button" onClick={() => void signOut()}>
          {t('account.signOut')}
        </button>
      </div>
    </>
  );
}

const initials = (name: string): string =>
  name
    .split(/[\s.@_-]+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');
