import { lazy, Suspense } from 'react';
import { type Command, listCommands } from '../lib/commands.ts';
import { t } from '../lib/i18n.ts';
import { Dialog } from './Dialog.tsx';
import styles from './Help.module.css';
import { KeyCaps } from './KeyCaps.tsx';

const Surface = lazy(() => import('./PaletteSurface.tsx').then((module) => ({ default: module.PaletteSurface })));

export function Palette({ close }: { readonly close: () => void }) {
  return (
    <Suspense fallback={null}>
      <Surface commands={listCommands()} close={close} />
    </Suspense>
  );
}

/** Keys of the most important actions, also listed where they do not apply. */
const GLOBAL_KEYS = [
  { keys: 'a', title: 'help.approve' },
  { keys: 'r', title: 'help.reject' },
  { keys: 'l', title: 'help.launch' },
] as const;

/** Dialog with every key of the page. */
export function Help({ close }: { readonly close: () => void }) {
  const keyed = listCommands().filter((command): command is Command & { keys: string } => command.keys !== undefined);
  const cellStates = new Set(keyed.map(({ keys }) => keys));
  const globalKeys = GLOBAL_KEYS.filter(({ keys }) => !cellStates.has(keys));
  return (
    <Dialog title={t('help.title')} close={close} wide>
      <dl className={styles.help}>
        {keyed.map(({ id, keys, title }) => (
          <div key={id}>
            <dt>
              <KeyCaps keys={keys} />
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
        {globalKeys.map(({ keys, title }) => (
          <div key={keys}>
            <dt>
              <KeyCaps keys={keys} />
            </dt>
            <dd className="soft">{t(title)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
