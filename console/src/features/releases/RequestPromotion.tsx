import { RequestPromotionDocument } from '../../generated/operations.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { TextField } from '../../ui/Form.tsx';
import { t } from './labels.ts';

type RequestPromotionProps = {
  readonly releaseId: string;
  readonly environment: { readonly id: string; readonly name: string };
  /** Approvals that the step of the product's path needs. */
  readonly approvals: number;
  readonly close: () => void;
};

/** Requests the promotion of a release to an environment, with a reason for those who decide. */
export function RequestPromotion({ releaseId, environment, approvals, close }: RequestPromotionProps) {
  const location = environment.name;
  return (
    <FormDialog
      document={RequestPromotionDocument}
      input={({ need, text }) => {
        need('reason', t('promote.reason.missing'));
        return { releaseId, targetEnvironmentId: environment.id, reason: text('reason') };
      }}
      title={t('promote.to', { where: location })}
      verb={t('promote.verb')}
      done={({ requestPromotion: { state } }) =>
        t(state === 'APPROVED' ? 'promote.done.free' : 'promote.done', { where: location })
      }
      close={close}
    >
      <p className="soft">{t('promote.needs', { n: approvals })}</p>
      <TextField
        name="reason"
        label={t('promote.reason')}
        hint={t('field.audited')}
        maxLength={2000}
        required
        autoFocus
      />
    </FormDialog>
  );
}
