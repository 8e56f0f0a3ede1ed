import {
  type CustodyChainQuery,
  type CustodyStepFragment,
  ReadImageStatementsDocument,
} from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import { hasScope } from '../../lib/session.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { custodyLook } from '../../ui/EntityStates.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { toast } from '../../ui/Toast.tsx';
import styles from './Custody.module.css';
import { t } from './labels.ts';
import { PendingAttestations } from './PendingAttestations.tsx';
import { capitalized } from './statement-text.ts';

type Release = NonNullable<CustodyChainQuery['release']>;
type Props = { readonly release: Release; readonly step: CustodyStepFragment };

/** Reason why a link is missing or cannot be proven, and the next step. */
export function LinkAdvice({ release, step }: Props) {
  const { state, reason } = step;
  const fromImages = step.step === 'SOURCE' || step.step === 'BUILD';
  if (state === 'SIGNED' && reason === null && !fromImages) return null;
  return (
    <div className={styles.why}>
      <StateLabel look={custodyLook(state)} wrap>
        {reason === null ? t(`linkReason.${state === 'MISSING' ? 'missing' : 'signed'}`) : capitalized(reason)}
      </StateLabel>
      {state === 'MISSING' && <p className="soft">{t(`linkAdvice.${step.step}`)}</p>}
      {state === 'SIGNED' && fromImages && <p className="soft">{t('linkAdvice.root')}</p>}
      {step.step === 'DEPLOY' && <PendingAttestations release={release} />}
      {(state === 'MISSING' || fromImages) && (
        <div className="row">
          <LinkAction release={release} step={step} />
          {fromImages && <ReadStatementsButton release={release} />}
        </div>
      )}
    </div>
  );
}

/** Page on which the link can be made. */
function LinkAction({ release: { id, status }, step: { step } }: Props) {
  switch (step) {
    case 'SOURCE':
    case 'BUILD':
      return (
        <LinkButton size="small" to="/integrations" search={hasScope('orch:admin') ? { ask: 'signer' } : {}}>
          {t('linkAdvice.signers')}
        </LinkButton>
      );
    case 'DEPLOY':
      return status === 'READY' ? (
        <LinkButton size="small" to="/releases/$id/deploy" params={{ id }}>
          {t('linkAdvice.deploy')}
        </LinkButton>
      ) : (
        <ToRelease id={id} />
      );
    case 'RUN':
      return (
        <LinkButton size="small" to="/estate">
          {t('action.estate')}
        </LinkButton>
      );
    default:
      return <ToRelease id={id} />;
  }
}

const ToRelease = ({ id }: { readonly id: string }) => (
  <LinkButton size="small" to="/releases/$id" params={{ id }}>
    {t('action.release')}
  </LinkButton>
);

/** Button that reads the images' attestations again: source and build come from them. */
function ReadStatementsButton({ release: { id } }: { readonly release: Release }) {
  const verb = useAction(ReadImageStatementsDocument);
  const offered = hasScope('orch:operate');
  const read = async () => {
    if (await verb.run({ releaseId: id })) toast(t('images.read'));
  };
  useCommands(offered ? [{ id: 'images.read', keys: 'i', title: t('images.verb'), run: () => void read() }] : []);
  if (!offered) return null;
  return (
    <>
      <Button size="small" busy={verb.busy} onClick={() => void read()}>
        {t('images.verb')}
      </Button>
      <ActionError problem={verb.problem} />
    </>
  );
}
