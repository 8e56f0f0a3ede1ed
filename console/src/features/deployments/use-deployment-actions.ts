import { useNavigate } from '@tanstack/react-router';
import { type RefObject, useRef } from 'react';
import {
  AdvancePhaseDocument,
  type DeploymentPermissionsFragment,
  PauseDeploymentDocument,
  ResumeDeploymentDocument,
  RetryDeploymentDocument,
} from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import type { Problem } from '../../lib/problem.ts';
import type { Outcome } from '../../parts/outcomes.ts';
import { type ActionName, type AvailableActions, availableActions } from './available-actions.ts';
import { t } from './labels.ts';

/** Actions with a dialog; a retry only when the same digests failed elsewhere. */
export type ActionDialog = 'halt' | 'cancel' | 'rollback' | 'retry';

export type DeploymentActions = AvailableActions & {
  readonly perform: (verb: ActionName) => void;
  readonly busy: boolean;
  readonly problem: Problem | undefined;
  /** Buttons that the keys of an action focus. */
  readonly buttons: RefObject<Partial<Record<ActionName, HTMLButtonElement | null>>>;
};

export const ACTION_KEYS: Readonly<Record<ActionName, string>> = {
  advance: 'a',
  pause: 'p',
  resume: 'p',
  retry: 'r',
  rollback: 'b',
  halt: 'h',
  cancel: 'c',
};

const isQuestion = (verb: ActionName): verb is Exclude<ActionDialog, 'retry'> =>
  verb === 'halt' || verb === 'cancel' || verb === 'rollback';

/** Actions of a deployment. Never optimistic: the page shows the server's answer, and nothing before. */
export function useDeploymentActions(
  deployment: DeploymentPermissionsFragment,
  adverse: readonly Outcome[],
  ask: (question: ActionDialog) => void,
): DeploymentActions {
  const { id, phases } = deployment;
  const navigate = useNavigate();
  const advance = useAction(AdvancePhaseDocument);
  const pause = useAction(PauseDeploymentDocument);
  const resume = useAction(ResumeDeploymentDocument);
  const retry = useAction(RetryDeploymentDocument);
  const buttons: DeploymentActions['buttons'] = useRef({});
  const direct = [advance, pause, resume, retry];
  const offer = availableActions(deployment);

  const perform = (verb: ActionName) => {
    for (const { clear } of direct) clear();
    if (isQuestion(verb)) return ask(verb);
    if (verb === 'pause') return void pause.run({ id });
    if (verb === 'resume') return void resume.run({ id });
    if (verb === 'retry' && adverse.length > 0) return ask(verb);
    if (verb === 'retry')
      return void retry.run({ id }).then((finished) => {
        if (finished !== undefined)
          void navigate({ to: '/deployments/$id', params: { id: finished.retryDeployment.id } });
      });
    const heldPhase = phases.find(({ status }) => status === 'HELD');
    if (heldPhase !== undefined) void advance.run({ id, phaseIndex: heldPhase.index });
  };

  useCommands(
    [...offer.allowed].map((verb) => ({
      id: `deployment.${verb}`,
      keys: ACTION_KEYS[verb],
      title: t(`verb.${verb}`),
      // A key may open a dialog, but an action without a dialog needs a press.
      run: () => (isQuestion(verb) ? perform(verb) : buttons.current[verb]?.focus()),
    })),
  );
  return {
    ...offer,
    perform,
    busy: direct.some(({ busy }) => busy),
    problem: direct.find(({ problem }) => problem !== undefined)?.problem,
    buttons,
  };
}
