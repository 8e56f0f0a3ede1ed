import { AssignAgentDocument, type TargetWholeFragment } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { toast } from '../../ui/Toast.tsx';
import { AgentChoice } from './AgentChoice.tsx';
import { t } from './labels.ts';

/** Gives a target to an agent that can drive it. */
export function AssignAgent({
  target: { id, name, version, driver, agent },
  close,
}: {
  readonly target: TargetWholeFragment;
  readonly close: () => void;
}) {
  const verb = useAction(AssignAgentDocument);
  const submit = async (data: FormData) => {
    const agentId = String(data.get('agentId') ?? '');
    if (agentId === '' || (await verb.run({ targetId: id, agentId, expectedVersion: version })) === undefined) return;
    toast(t('target.assigned', { name }));
    close();
  };
  return (
    <Dialog title={t('target.assign.title', { name })} close={close}>
      <Form problems={verb.problem?.fields} submit={submit}>
        <p className="soft">{t('target.assign.lead')}</p>
        <AgentChoice driver={driver} chosen={agent?.id} />
        <FormFoot act={verb} verb={t('target.assign.verb')} close={close} />
      </Form>
    </Dialog>
  );
}
