import { useState } from 'react';
import {
  ClearReleaseHoldDocument,
  DeprecateReleaseDocument,
  HoldReleaseDocument,
  type ReleasePermissionsFragment,
} from '../../generated/operations.ts';
import { type Command, useCommands } from '../../lib/commands.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { hasScope } from '../../lib/session.ts';
import { ReasonDialog } from '../../parts/dialogs.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { releaseName } from '../../ui/EntityLink.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

type Question = 'hold' | 'deprecate';

type Props = { readonly release: ReleasePermissionsFragment };

function questionsOf({ status, hold }: ReleasePermissionsFragment): readonly Question[] {
  if (!hasScope('orch:operate') || (status !== 'FINALIZED' && status !== 'READY')) return [];
  return hold === null ? ['hold', 'deprecate'] : ['deprecate'];
}

/** Actions that stop a release in its current environment: a hold, or its deprecation for good. */
export function HoldActions({ release }: Props) {
  const [dialog, setDialog] = useState<Question>();
  const questions = questionsOf(release);
  useCommands(
    questions.map((question) => ({
      id: `release.${question}`,
      ...(question === 'hold' && { keys: 'h' }),
      title: t(`release.${question}.verb`),
      run: () => setDialog(question),
    })),
  );
  return (
    <>
      {questions.map((question) => (
        <Button key={question} weight="plain" onClick={() => setDialog(question)}>
          {t(`release.${question}.verb`)}
        </Button>
      ))}
      {dialog !== undefined && <StopDialog question={dialog} release={release} close={() => setDialog(undefined)} />}
    </>
  );
}

function StopDialog({ question, release, close }: Props & { readonly question: Question; readonly close: () => void }) {
  const name = releaseName(release);
  const props = {
    input: (reason: string) => ({ id: release.id, expectedVersion: release.version, reason }),
    title: t(`release.${question}.title`, { what: name }),
    verb: t(`release.${question}.button`),
    done: t(`release.${question}.done`, { what: name }),
    close,
    children: <p className="soft">{t(`release.${question}.lead`)}</p>,
  };
  return question === 'hold' ? (
    <ReasonDialog document={HoldReleaseDocument} {...props} />
  ) : (
    <ReasonDialog document={DeprecateReleaseDocument} {...props} />
  );
}

/** Button that lifts a hold; the rule, where the user may not. */
export function ClearHold({ release }: Props) {
  const verb = useAction(ClearReleaseHoldDocument);
  const clear = async () => {
    if (await verb.run({ id: release.id, expectedVersion: release.version }))
      toast(t('release.clear.done', { what: releaseName(release) }));
  };
  const mayOperate = hasScope('orch:operate');
  const commands: readonly Command[] = mayOperate
    ? [{ id: 'release.clear', keys: 'h', title: t('release.clear'), run: () => void clear() }]
    : [];
  useCommands(commands);
  if (!mayOperate) return <span className="small">{t('forbidden.operate')}</span>;
  return (
    <>
      <Button size="small" busy={verb.busy} onClick={() => void clear()}>
        {t('release.clear')}
      </Button>
      <ActionError problem={verb.problem} />
    </>
  );
}
