import { useState } from 'react';
import {
  ClearReleaseHoldDocument,
  DeprecateReleaseDocument,
  HoldReleaseDocument,
  type ReleaseVerbsFragment,
} from '../../generated/operations.ts';
import { type Command, useCommands } from '../../lib/commands.ts';
import { useAction } from '../../lib/graph.ts';
import { hasScope } from '../../lib/session.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { ReasonDialog } from '../../ui/ReasonDialog.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

type Question = 'hold' | 'deprecate';

type Props = { readonly release: ReleaseVerbsFragment };

/** What may happen to a release beside its next step, by the rules of its standing. */
function questionsOf({ status, hold }: ReleaseVerbsFragment): readonly Question[] {
  if (!hasScope('orch:operate') || (status !== 'FINALIZED' && status !== 'READY')) return [];
  return hold === null ? ['hold', 'deprecate'] : ['deprecate'];
}

/** Stops a release where it is, for a while or for good. */
export function HoldActions({ release }: Props) {
  const [asked, ask] = useState<Question>();
  const questions = questionsOf(release);
  useCommands(
    questions.map((question) => ({
      id: `release.${question}`,
      group: 'act',
      ...(question === 'hold' && { keys: 'h' }),
      title: t(`release.${question}.verb`),
      run: () => ask(question),
    })),
  );
  return (
    <>
      {questions.map((question) => (
        <Button key={question} weight="plain" onClick={() => ask(question)}>
          {t(`release.${question}.verb`)}
        </Button>
      ))}
      {asked === 'hold' && <Hold release={release} close={() => ask(undefined)} />}
      {asked === 'deprecate' && <Deprecate release={release} close={() => ask(undefined)} />}
    </>
  );
}

type Asked = Props & { readonly close: () => void };

function Hold({ release: { id, version, name, semver }, close }: Asked) {
  const verb = useAction(HoldReleaseDocument);
  const submit = async (reason: string) => {
    if ((await verb.run({ id, expectedVersion: version, reason })) === undefined) return;
    toast(t('release.hold.done', { what: `${name} ${semver}` }));
    close();
  };
  return (
    <ReasonDialog
      title={t('release.hold.title', { what: `${name} ${semver}` })}
      verb={t('release.hold.button')}
      busy={verb.busy}
      problem={verb.problem}
      submit={submit}
      close={close}
    >
      <p className="soft">{t('release.hold.lead')}</p>
    </ReasonDialog>
  );
}

function Deprecate({ release: { id, version, name, semver }, close }: Asked) {
  const verb = useAction(DeprecateReleaseDocument);
  const submit = async (reason: string) => {
    if ((await verb.run({ id, expectedVersion: version, reason })) === undefined) return;
    toast(t('release.deprecate.done', { what: `${name} ${semver}` }));
    close();
  };
  return (
    <ReasonDialog
      title={t('release.deprecate.title', { what: `${name} ${semver}` })}
      verb={t('release.deprecate.button')}
      busy={verb.busy}
      problem={verb.problem}
      submit={submit}
      close={close}
    >
      <p className="soft">{t('release.deprecate.lead')}</p>
    </ReasonDialog>
  );
}

/** Lets a held release go on; the rule, where it is not the reader's to say. */
export function ClearHold({ release: { id, version, name, semver } }: Props) {
  const verb = useAction(ClearReleaseHoldDocument);
  const clear = async () => {
    if (await verb.run({ id, expectedVersion: version })) toast(t('release.clear.done', { what: `${name} ${semver}` }));
  };
  const isMine = hasScope('orch:operate');
  const commands: readonly Command[] = isMine
    ? [{ id: 'release.clear', group: 'act', keys: 'h', title: t('release.clear'), run: () => void clear() }]
    : [];
  useCommands(commands);
  if (!isMine) return <span className="small">{t('operate.rule')}</span>;
  return (
    <>
      <Button size="small" busy={verb.busy} onClick={() => void clear()}>
        {t('release.clear')}
      </Button>
      <ActionError problem={verb.problem} />
    </>
  );
}
