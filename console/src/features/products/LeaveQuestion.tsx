import { useBlocker } from '@tanstack/react-router';
import { isSigningIn } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFooter } from '../../ui/DialogFooter.tsx';
import { t } from './labels.ts';

type LeaveQuestionProps = {
  /** Whether leaving now would lose changes. */
  readonly isNeeded: () => boolean;
};

/**
 * Asks before the path's editor is left with changes. Going to the sign-in page does not ask: the draft is saved
 * meanwhile.
 */
export function LeaveQuestion({ isNeeded }: LeaveQuestionProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isNeeded() && !(next.pathname === current.pathname && 'ask' in next.search && next.search.ask === 'path'),
    enableBeforeUnload: () => isNeeded() && !isSigningIn(),
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Dialog title={t('path.leave')} close={reset} light>
      <div className="stack">
        <p className="soft">{t('path.leave.lead')}</p>
        <DialogFooter>
          <Button onClick={proceed}>{t('path.discard')}</Button>
          <Button weight="primary" onClick={reset}>
            {t('path.leave.stay')}
          </Button>
        </DialogFooter>
      </div>
    </Dialog>
  );
}
