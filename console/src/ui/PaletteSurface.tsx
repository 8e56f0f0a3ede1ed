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
import { type Command, useSilence } from '../lib/commands.ts';
import { t } from '../lib/i18n.ts';
import { Caps } from './Caps.tsx';
import styles from './Dialog.module.css';

const GROUPS = ['go', 'act'] as const;

/** Every command of the page, found by typing: go to first, then act on this. */
export function PaletteSurface({
  commands,
  close,
}: {
  readonly commands: readonly Command[];
  readonly close: () => void;
}) {
  useSilence();
  const { contains } = useFilter({ sensitivity: 'base' });
  return (
    <ModalOverlay className={styles.overlay ?? ''} isOpen isDismissable onOpenChange={(open) => !open && close()}>
      <Modal className={`${styles.modal} ${styles.wide}`}>
        <Dialog className={styles.palette ?? ''} aria-label={t('palette.title')}>
          <Autocomplete filter={contains}>
            <TextField aria-label={t('palette.find')} autoFocus>
              <Input className={styles.query ?? ''} placeholder={t('palette.find')} />
            </TextField>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1). */}
            <section className={styles.commands} tabIndex={0} aria-label={t('palette.title')}>
              <Menu
                style={{ outline: 'none' }}
                renderEmptyState={() => <p className={styles.none}>{t('palette.none')}</p>}
              >
                {GROUPS.map((group) => (
                  <MenuSection key={group}>
                    <Header className={styles.group ?? ''}>{t(`palette.${group}`)}</Header>
                    {commands
                      .filter((command) => command.group === group)
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
                          {keys !== undefined && <Caps keys={keys} />}
                        </MenuItem>
                      ))}
                  </MenuSection>
                ))}
              </Menu>
            </section>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
