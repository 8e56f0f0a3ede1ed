import { type AgentQuery, RevokeAgentDocument } from '../../generated/operations.ts';
import { ReasonDialog } from '../../parts/dialogs.tsx';
import { Banner } from '../../ui/Banner.tsx';
import { t } from './labels.ts';

type RevokeAgentProps = { readonly agent: NonNullable<AgentQuery['agent']>; readonly close: () => void };

/** Refuses an agent from this moment on, for good; the dialog names the targets that stop being served. */
export function RevokeAgent({ agent: { id, name, version, targets }, close }: RevokeAgentProps) {
  const served = targets.map((target) =>
    t('agent.revoke.target', { name: target.name, where: target.environment.name }),
  );
  return (
    <ReasonDialog
      document={RevokeAgentDocument}
      input={(reason) => ({ id, expectedVersion: version, reason })}
      title={t('agent.revoke.title', { name })}
      verb={t('agent.revoke.verb')}
      done={t('agent.revoke.done', { name })}
      close={close}
    >
      <p className="soft">{t('agent.revoke.lead')}</p>
      {served.length > 0 && (
        <Banner tone="attention" title={t('agent.revoke.serves', { n: targets.length })}>
          <span>{served.join(', ')}</span>
        </Banner>
      )}
    </ReasonDialog>
  );
}
