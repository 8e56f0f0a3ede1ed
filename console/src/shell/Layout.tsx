import { Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { commandsByKeys, useCommands } from '../lib/commands.ts';
import { t } from '../lib/i18n.ts';
import { createMatcher } from '../lib/keys.ts';
import { settings } from '../lib/settings.ts';
import { preloadDialogs } from '../ui/Dialog.tsx';
import { Help, Palette } from '../ui/Palette.tsx';
import { Toasts } from '../ui/Toast.tsx';
import styles from './Layout.module.css';
import { Nav } from './Nav.tsx';
import { NAVIGATION } from './navigation.ts';
import { TopBar } from './TopBar.tsx';

const ViewCommands = lazy(() => import('./ViewCommands.tsx').then((module) => ({ default: module.ViewCommands })));

/** Delay after which the first page is drawn, in milliseconds. */
const IDLE_MS = 1500;

export function Layout() {
  const [open, setOpen] = useState<'palette' | 'help'>();
  const close = () => setOpen(undefined);
  useGlobalCommands(setOpen);
  useKeyboard();
  const isIdle = useIdle();
  const main = useFocusOnArrival();
  return (
    <div className={styles.app}>
      <a className={styles.skip} href="#main">
        {t('shell.skip')}
      </a>
      <TopBar find={() => setOpen('palette')} help={() => setOpen('help')} />
      <Nav />
      <main className={styles.main} id="main" tabIndex={-1} ref={main}>
        <Suspense fallback={null}>
          <Outlet />
        </Suspense>
      </main>
      {open === 'palette' && <Palette close={close} />}
      {open === 'help' && <Help close={close} />}
      <Toasts />
      {isIdle && (
        <Suspense fallback={null}>
          <ViewCommands />
        </Suspense>
      )}
    </div>
  );
}

function useGlobalCommands(show: (what: 'palette' | 'help') => void): void {
  const router = useRouter();
  useCommands([
    ...NAVIGATION.map(({ to, name, keys }) => ({
      id: `go.${to}`,
      group: 'go' as const,
      title: t(name),
      ...(keys === undefined ? {} : { keys }),
      run: () => void router.navigate({ to }),
    })),
    { id: 'palette', group: 'move', title: t('palette.title'), keys: 'mod+k', run: () => show('palette') },
    { id: 'help', group: 'move', title: t('help.title'), keys: '?', run: () => show('help') },
  ]);
}

/** Prefetches the code of the other pages `IDLE_MS` after the first one is shown; true from then on. */
function useIdle(): boolean {
  const router = useRouter();
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    const id = setTimeout(() => {
      preloadDialogs();
      setIdle(true);
      // A page whose code cannot be fetched is fetched again, and its failure shown, when it is opened.
      for (const route of Object.values(router.routesById)) router.loadRouteChunk(route)?.catch(() => undefined);
    }, IDLE_MS);
    return () => clearTimeout(id);
  }, [router]);
  return isIdle;
}

/** Runs the command of a key press. One listener serves the page. */
function useKeyboard(): void {
  useLayoutEffect(() => {
    const match = createMatcher(
      () => performance.now(),
      () => settings().singleKeys,
    );
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat) return;
      const commands = commandsByKeys();
      const { key, ctrlKey, metaKey, altKey } = event;
      const found = match({ key, ctrlKey, metaKey, altKey, typing: isHandled(event.target, key) }, commands.keys());
      if (found === undefined) return;
      event.preventDefault();
      commands.get(found)?.run();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Whether the focused element takes the press: a text field, or Enter on something that can be pressed. */
function isHandled(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const writes = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"]';
  return target.matches(writes) || (key === 'Enter' && target.matches('a, button, summary'));
}

/**
 * Moves the focus to a new page, or to its part marked `data-arrival`; the first page leaves the focus alone, and so does
 * one in which the user, or the page itself, has already moved it.
 */
function useFocusOnArrival() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const last = useRef<string>(undefined);
  useEffect(() => {
    const { current: page } = main;
    const isInside = document.activeElement !== page && page?.contains(document.activeElement);
    const arrival = page?.querySelector<HTMLElement>('[data-arrival]') ?? page;
    if (last.current !== undefined && path !== last.current && !isInside) arrival?.focus({ preventScroll: true });
    if (path !== undefined) last.current = path;
  }, [path]);
  return main;
}
