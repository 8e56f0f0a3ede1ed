import { CancelPromotionDocument } from '../generated/operations.ts';
import { useCommands } from '../lib/commands.ts';
import { t } from '../lib/i18n.ts';
import { releaseName } from '../ui/EntityLink.tsx';
import { ReasonDialog } from './dialogs.tsx';

interface Cancellable {
  readonly id: string;
  readonly release: { readonly name: string; readonly semver: string };
  readonly targetEnvironment: { readonly name: string };
}

type CancelPromotionProps = { readonly promotion: Cancellable; readonly close: () => void };

/** Cancels a promotion before it is launched. Its approvals end with it. */
export function CancelPromotion({ promotion: { id, release, targetEnvironment }, close }: CancelPromotionProps) {
  const names = { what: releaseName(release), where: targetEnvironment.name };
  return (
    <ReasonDialog
      document={CancelPromotionDocument}
      input={(reason) => ({ id, reason })}
      title={t('promotion.cancel.title', names)}
      verb={t('promotion.cancel.verb')}
      done={t('promotion.cancelled', names)}
      close={close}
    >
      <p className="soft">{t('promotion.cancel.lead')}</p>
    </ReasonDialog>
  );
}
export const useCancelCommands = (promotions: readonly Cancellable[], cancel: (id: string) => void) =>
  useCommands(
    promotions.map(({ id, release, targetEnvironment }) => ({
      id: `cancel.${id}`,
      title: t('promotion.cancel.title', { what: releaseName(release), where: targetEnvironment.name }),
      run: () => cancel(id),
    })),
  );
