import { useNavigate } from '@tanstack/react-router';
import { type RefObject, useRef } from 'react';
import {
  AdvancePhaseDocument,
  PauseDeploymentDocument,
  ResumeDeploymentDocument,
  RetryDeploymentDocument,
  type VerbsFragment,
} from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useVerb } from '../../lib/graph.ts';
import type { Problem } from '../../lib/problem.ts';
import type { Outcome } from '../../parts/outcomes.ts';
import { type Offer, offerOf, type VerbName } from './verbs.ts';
import { t } from './words.ts';

/** Verbs that ask something first; a retry only where the same digests fared badly elsewhere. */
export type Question = 'halt' | 'cancel' | 'rollback' | 'retry';

/** The verbs of a deployment as its page holds them: what is offered, how each is done, what was refused. */
export type Acts = Offer & {
  readonly act: (verb: VerbName) => void;
  readonly busy: boolean;
  readonly problem: Problem | undefined;
  /** Where the keys of a verb bring the focus. */
  readonly buttons: RefObject<Partial<Record<VerbName, HTMLButtonElement | null>>>;
};

/** The key of each verb. */
export const VERB_KEYS: Readonly<Record<VerbName, string>> = {
  advance: 'a',
  pause: 'p',
  resume: 'p',
  retry: 'r',
  rollback: 'b',
  halt: 'h',
  cancel: 'c',
};

const isQuestion = (verb: VerbName): verb is Exclude<Question, 'retry'> =>
  verb === 'halt' || verb === 'cancel' || verb === 'rollback';

/** Never optimistic: the page shows what the server answered, and nothing before. */
export function useDeploymentVerbs(
  deployment: VerbsFragment,
  /** How the same digests fared badly in other deployments. */
  adverse: readonly Outcome[],
  ask: (question: Question) => void,
): Acts {
  const { id, phases } = deployment;
  const navigate = useNavigate();
  const advance = useVerb(AdvancePhaseDocument);
  const pause = useVerb(PauseDeploymentDocument);
  const resume = useVerb(ResumeDeploymentDocument);
  const retry = useVerb(RetryDeploymentDocument);
  const buttons: Acts['buttons'] = useRef({});
  const direct = [advance, pause, resume, retry];
  const offer = offerOf(deployment);

  const act = (verb: VerbName) => {
    for (const { clear } of direct) clear();
    if (isQuestion(verb)) return ask(verb);
    if (verb === 'pause') return void pause.run({ id });
    if (verb === 'resume') return void resume.run({ id });
    if (verb === 'retry' && adverse.length > 0) return ask(verb);
    if (verb === 'retry')
      return void retry.run({ id }).then((done) => {
        if (done !== undefined) void navigate({ to: '/deployments/$id', params: { id: done.retryDeployment.id } });
      });
    const held = phases.find(({ status }) => status === 'HELD');
    if (held !== undefined) void advance.run({ id, phaseIndex: held.index });
  };

  useCommands(
    [...offer.allowed].map((verb) => ({
      id: `deployment.${verb}`,
      group: 'act',
      keys: VERB_KEYS[verb],
      title: t(`verb.${verb}`),
      // A question may be asked by its key; what is done at once is pressed, never slipped into.
      run: () => (isQuestion(verb) ? act(verb) : buttons.current[verb]?.focus()),
    })),
  );
  return {
    ...offer,
    act,
    busy: direct.some(({ busy }) => busy),
    problem: direct.find(({ problem }) => problem !== undefined)?.problem,
    buttons,
  };
}
