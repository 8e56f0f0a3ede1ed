import { CancelPromotionDocument } from '../generated/operations.ts';
import { useAction } from '../lib/graph.ts';
import { t } from '../lib/i18n.ts';
import { ReasonDialog } from '../ui/ReasonDialog.tsx';
import { toast } from '../ui/Toast.tsx';

interface Cancellable {
  readonly id: string;
  readonly release: { readonly name: string; readonly semver: string };
  readonly targetEnvironment: { readonly name: string };
}

/** Takes a promotion back before it is launched. What was approved of it is approved no more. */
export function CancelPromotion({
  promotion: { id, release, targetEnvironment },
  close,
}: {
  readonly promotion: Cancellable;
  readonly close: () => void;
}) {
  const verb = useAction(CancelPromotionDocument);
  const words = { what: `${release.name} ${release.semver}`, where: targetEnvironment.name };
  const submit = async (reason: string) => {
    if ((await verb.run({ id, reason })) === undefined) return;
    toast(t('promotion.cancelled', words));
    close();
  };
  return (
    <ReasonDialog
      title={t('promotion.cancel.title', words)}
      verb={t('promotion.cancel.verb')}
      busy={verb.busy}
      problem={verb.problem}
      submit={submit}
      close={close}
    >
      <p className="soft">{t('promotion.cancel.lead')}</p>
    </ReasonDialog>
  );
}
