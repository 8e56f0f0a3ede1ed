import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  TextField,
  useFilter,
} from 'react-aria-components';
import { cardPath } from '../lib/card-path.ts';
import { type Command, useCommandsDisabled } from '../lib/commands.ts';
import { type Card, canSearch, useSearchResult } from '../lib/search.ts';
import { recordSearchEvent } from '../lib/search-events.ts';
import { searchLabel as t, typeName } from '../lib/search-labels.ts';
import styles from './Dialog.module.css';
import { KeyCaps } from './KeyCaps.tsx';
import { SeverityLabel } from './SeverityLabel.tsx';

const GROUPS = ['go', 'page'] as const;

/** Number of cards in the palette, and the pause in typing before they are searched, in milliseconds. */
const CARDS = 5;
const PAUSE_MS = 150;

type PaletteSurfaceProps = { readonly commands: readonly Command[]; readonly close: () => void };

/** Command palette: pages first, then actions of this page, then search results. */
export function PaletteSurface({ commands, close }: PaletteSurfaceProps) {
  useCommandsDisabled();
  const { contains } = useFilter({ sensitivity: 'base' });
  const [results, setWords] = useState('');
  const search = useSearch(results.trim(), close);
  return (
    <ModalOverlay className={styles.overlay ?? ''} isOpen isDismissable onOpenChange={(open) => !open && close()}>
      <Modal className={`${styles.modal} ${styles.wide}`}>
        <Dialog className={styles.palette ?? ''} aria-label={t('palette.title')}>
          <Autocomplete
            inputValue={results}
            onInputChange={setWords}
            // Results of the search match already, even where their text contains no word of the input.
            filter={(text, input, { key }) => String(key).startsWith(FOUND) || contains(text, input)}
          >
            {/* Enter before anything is there to choose goes to all results. */}
            <form onSubmit={search.submit} style={{ display: 'contents' }}>
              <TextField aria-label={t('palette.find')} autoFocus>
                <Input className={styles.query ?? ''} placeholder={t('palette.find')} />
              </TextField>
            </form>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1). */}
            <section className={styles.commands} tabIndex={0} aria-label={t('palette.title')}>
              <Menu
                style={{ outline: 'none' }}
                renderEmptyState={() => (
                  <p className={styles.none}>{t(search.busy ? 'palette.searching' : 'palette.none')}</p>
                )}
              >
                {GROUPS.map((group) => (
                  <MenuSection key={group}>
                    <Header className={styles.group ?? ''}>{t(`palette.${group}`)}</Header>
                    {commands
                      .filter((command) => (command.group ?? 'page') === group)
                      .map(({ id, title, keys, run }) => (
                        <MenuItem
                          key={id}
                          id={id}
                          className={styles.command ?? ''}
                          textValue={title}
                          onAction={() => {
                            close();
                            run();
                          }}
                        >
                          {title}
                          {keys !== undefined && <KeyCaps keys={keys} />}
                        </MenuItem>
                      ))}
                  </MenuSection>
                ))}
                {search.items}
              </Menu>
            </section>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Keys of items that search has found begin so. */
const FOUND = 'found:';

/** Search results for the text of the palette, as a section of its own; none where the user may not search. */
function useSearch(q: string, close: () => void) {
  const router = useRouter();
  const isRequested = q !== '' && canSearch();
  const { found, busy } = useSearchResult(isRequested ? { q, k: CARDS, typing: true } : undefined, PAUSE_MS);
  const goTo = (path: string) => {
    close();
    router.history.push(path);
  };
  const open = (card: Card, index: number) => () => {
    recordSearchEvent({ kind: 'CLICK', query: q, entityKey: card.entityKey, position: index + 1, domain: card.domain });
    goTo(cardPath(card) ?? `${allOf(q)}&card=${encodeURIComponent(card.entityKey)}`);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isRequested) goTo(allOf(q));
  };
  const items = isRequested && !(busy && found === undefined) && (
    <MenuSection key="search">
      <Header className={styles.group ?? ''}>{t('palette.search')}</Header>
      {found?.cards.map((card, index) => (
        <MenuItem
          key={card.entityKey}
          id={`${FOUND}${card.entityKey}`}
          className={styles.command ?? ''}
          textValue={card.title}
          onAction={open(card, index)}
        >
          <span className="clip">{card.title}</span>
          <span className={`${styles.keys} small quiet`}>
            {card.severity === null ? typeName(card.entityType) : <SeverityLabel severity={card.severity} />}
          </span>
        </MenuItem>
      ))}
      <MenuItem
        key="all"
        id={`${FOUND}all`}
        className={styles.command ?? ''}
        textValue={t('palette.all', { q })}
        onAction={() => goTo(allOf(q))}
      >
        {t('palette.all', { q })}
      </MenuItem>
    </MenuSection>
  );
  return { items, busy: isRequested && busy, submit };
}

const allOf = (q: string): string => `/search?q=${encodeURIComponent(q)}`;
