import { type AgentQuery, RevokeAgentDocument } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import { Banner } from '../../ui/Banner.tsx';
import { ReasonDialog } from '../../ui/ReasonDialog.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';

/** Refuses an agent from this moment on, for good; before that it says what stops being served. */
export function RevokeAgent({
  agent: { id, name, version, targets },
  close,
}: {
  readonly agent: NonNullable<AgentQuery['agent']>;
  readonly close: () => void;
}) {
  const verb = useAction(RevokeAgentDocument);
  const submit = async (reason: string) => {
    if ((await verb.run({ id, expectedVersion: version, reason })) === undefined) return;
    toast(t('agent.revoke.done', { name }));
    close();
  };
  return (
    <ReasonDialog
      title={t('agent.revoke.title', { name })}
      verb={t('agent.revoke.verb')}
      busy={verb.busy}
      problem={verb.problem}
      submit={submit}
      close={close}
    >
      <p className="soft">{t('agent.revoke.lead')}</p>
      {targets.length > 0 && (
        <Banner tone="attention" title={t('agent.revoke.serves', { n: targets.length })}>
          <span>
            {targets
              .map((target) => t('agent.revoke.target', { name: target.name, where: target.environment.name }))
              .join(', ')}
          </span>
        </Banner>
      )}
    </ReasonDialog>
  );
}
