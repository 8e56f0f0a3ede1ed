import { AssignAgentDocument, RemoveTargetDocument, type TargetDetailFragment } from '../../generated/operations.ts';
import { listText } from '../../lib/i18n.ts';
import { ConfirmAction, FormDialog } from '../../parts/dialogs.tsx';
import { AgentChoice } from './AgentChoice.tsx';
import { t } from './labels.ts';

type TargetDialogProps = { readonly target: TargetDetailFragment; readonly close: () => void };

export function AssignAgent({ target: { id, name, version, driver, agent }, close }: TargetDialogProps) {
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

type RemoveTargetProps = TargetDialogProps & { readonly removed: () => void };

/** Removes a target for good. Its processes go on running, and are no longer observed. */
export function RemoveTarget({ target, close, removed }: RemoveTargetProps) {
  const { id, name, version, environment, observations } = target;
  const running = observations.filter((one) => one.running).map(({ component }) => component);
  return (
    <ConfirmAction
      document={RemoveTargetDocument}
      input={{ id, expectedVersion: version }}
      title={t('target.remove.title', { name, where: environment.name })}
      lead={t('target.remove.lead')}
      verb={t('target.remove.verb')}
      done={t('target.removed', { name })}
      onDone={() => {
        close();
        removed();
      }}
      close={close}
    >
      {running.length > 0 && <p>{t('target.remove.runs', { names: listText(running) })}</p>}
    </ConfirmAction>
  );
}
