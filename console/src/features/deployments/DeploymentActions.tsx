import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  CancelDeploymentDocument,
  HaltDeploymentDocument,
  RetryDeploymentDocument,
} from '../../generated/operations.ts';
import { listText } from '../../lib/i18n.ts';
import { FormDialog, ReasonDialog } from '../../parts/dialogs.tsx';
import { OutcomeAcknowledgement, useAcknowledgement } from '../../parts/Outcomes.tsx';
import type { Outcome } from '../../parts/outcomes.ts';
import { RollbackDialog } from '../../parts/RollbackDialog.tsx';
import { Button, type Size, type Weight } from '../../ui/Button.tsx';
import { Forbidden } from '../../ui/Forbidden.tsx';
import type { ActionName } from './available-actions.ts';
import { t } from './labels.ts';
import { ACTION_KEYS, type ActionDialog, type DeploymentActions } from './use-deployment-actions.ts';

type ActionButtonProps = {
  readonly actions: DeploymentActions;
  readonly name: ActionName;
  readonly weight?: Weight;
  readonly size?: Size;
};

/** Button of an action that is offered; renders nothing otherwise. The shortcut focuses the button of normal size. */
export function ActionButton({ actions, name, weight, size }: ActionButtonProps) {
  if (!actions.allowed.has(name)) return null;
  return (
    <Button
      ref={(button) => {
        if (size === undefined) actions.buttons.current[name] = button;
      }}
      busy={actions.busy}
      onClick={() => actions.perform(name)}
      {...(weight === undefined ? {} : { weight })}
      {...(size === undefined ? {} : { size })}
    >
      {t(`verb.${name}`)} <kbd>{ACTION_KEYS[name]}</kbd>
    </Button>
  );
}

const PRIMARY: ReadonlySet<ActionName> = new Set(['advance', 'resume', 'retry']);

type ActionButtonsProps = { readonly actions: DeploymentActions; readonly names: readonly ActionName[] };

export const ActionButtons = ({ actions, names }: ActionButtonsProps) =>
  names.map((name) => (
    <ActionButton key={name} actions={actions} name={name} {...(PRIMARY.has(name) && { weight: 'primary' as const })} />
  ));

export function ActionRules({ actions: { rules } }: { readonly actions: DeploymentActions }) {
  return rules.map(({ verbs, permission }) => {
    const names = listText(verbs.map((verb) => t(`verb.name.${verb}`)));
    const reason =
      permission.code === 'PERM_SCOPE_DENIED'
        ? t('actions.missingScope', { names })
        : t('actions.forbidden', { names, reason: permission.reason ?? '' });
    return <Forbidden key={names} permission={{ ...permission, reason }} />;
  });
}

type Asking = {
  readonly question: ActionDialog;
  readonly deploymentId: string;
  readonly environmentId: string;
  readonly title: string;
  readonly outcomes: readonly Outcome[];
  readonly close: () => void;
};

/** Questions before a deployment is halted, cancelled, undone or tried again. */
export function ActionDialogs({ question, ...asking }: Asking) {
  if (question === 'rollback') return <RollbackDialog {...asking} />;
  if (question === 'retry') return <Retry {...asking} />;
  return <Stop question={question} {...asking} />;
}

function Retry({ deploymentId, title, outcomes, close }: Omit<Asking, 'question'>) {
  const navigate = useNavigate();
  const [needsAcknowledgement, setNeedsAcknowledgement] = useState(false);
  const { asked, ...acknowledgement } = useAcknowledgement(outcomes);
  return (
    <FormDialog
      document={RetryDeploymentDocument}
      input={() => {
        setNeedsAcknowledgement(!acknowledgement.seen);
        return acknowledgement.seen ? { id: deploymentId, acknowledgeOutcomes: asked } : undefined;
      }}
      onDone={({ retryDeployment: { id } }) => navigate({ to: '/deployments/$id', params: { id } })}
      title={t('retry.title', { title })}
      verb={t('verb.retry')}
      close={close}
    >
      <p className="soft">{t('retry.lead')}</p>
      <OutcomeAcknowledgement outcomes={outcomes} unseen={needsAcknowledgement} {...acknowledgement} />
    </FormDialog>
  );
}

type StopProps = Omit<Asking, 'question'> & { readonly question: 'halt' | 'cancel' };

function Stop({ question, deploymentId, title, close }: StopProps) {
  const props = {
    title: t(`endDeployment.title.${question}`, { title }),
    verb: t(`endDeployment.verb.${question}`),
    input: (reason: string) => ({ id: deploymentId, reason }),
    close,
    children: <p className="soft">{t(`endDeployment.lead.${question}`)}</p>,
  };
  return question === 'halt' ? (
    <ReasonDialog document={HaltDeploymentDocument} {...props} />
  ) : (
    <ReasonDialog document={CancelDeploymentDocument} {...props} />
  );
}
