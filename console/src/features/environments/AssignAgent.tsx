import { AssignAgentDocument, type TargetWholeFragment } from '../../generated/operations.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { AgentChoice } from './AgentChoice.tsx';
import { t } from './labels.ts';

type AssignAgentProps = { readonly target: TargetWholeFragment; readonly close: () => void };

/** Assigns a target to an agent that can drive it. */
export function AssignAgent({ target: { id, name, version, driver, agent }, close }: AssignAgentProps) {
  return (
    <FormDialog
      document={AssignAgentDocument}
      input={({ text }) =>
        text('agentId') === '' ? undefined : { targetId: id, agentId: text('agentId'), expectedVersion: version }
      }
      title={t('target.assign.title', { name })}
      verb={t('target.assign.verb')}
      done={t('target.assigned', { name })}
      close={close}
    >
      <p className="soft">{t('target.assign.lead')}</p>
      <AgentChoice driver={driver} chosen={agent?.id} />
    </FormDialog>
  );
}
