import { useState } from 'react';
import { RequestPromotionDocument } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form, TextField } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

/** Asks for the release to go to an environment, with a reason for those who decide. */
export function RequestPromotion({
  releaseId,
  environment,
  close,
}: {
  readonly releaseId: string;
  readonly environment: { readonly id: string; readonly name: string; readonly requiredApprovals: number };
  readonly close: () => void;
}) {
  const verb = useAction(RequestPromotionDocument);
  const [wrong, setWrong] = useState<string>();
  const submit = async (data: FormData) => {
    const reason = String(data.get('reason')).trim();
    if (reason === '') return setWrong(t('promote.reason.missing'));
    const done = await verb.run({ releaseId, targetEnvironmentId: environment.id, reason });
    if (done === undefined) return;
    toast(
      t(done.requestPromotion.state === 'APPROVED' ? 'promote.done.free' : 'promote.done', { where: environment.name }),
    );
    close();
  };
  return (
    <Dialog title={t('promote.to', { where: environment.name })} close={close}>
      <Form problems={verb.problem?.fields} submit={submit}>
        <p className="soft">{t('promote.needs', { n: environment.requiredApprovals })}</p>
        <TextField
          name="reason"
          label={t('promote.reason')}
          hint={t('field.kept')}
          wrong={wrong}
          maxLength={2000}
          required
          autoFocus
        />
        <FormFoot act={verb} verb={t('promote.verb')} close={close} />
      </Form>
    </Dialog>
  );
}
