import type { CustodyStepFragment, CustodyStepName } from '../../generated/operations.ts';
import { custodyLink } from '../../lib/custody-links.ts';
import { hex } from '../../lib/digest.ts';
import { custodyLook } from '../../ui/EntityStates.tsx';
import { Link } from '../../ui/Link.tsx';
import { ShapeIcon } from '../../ui/StateLabel.tsx';
import styles from './Custody.module.css';
import { connectorAfter, statementToOpen } from './custody-chain.ts';
import { t } from './labels.ts';
import { capitalized, signerName, statementSubject } from './statement-text.ts';
import type { Verification } from './use-verification.ts';

type Step = CustodyStepFragment;

type CustodyChainProps = {
  readonly releaseId: string;
  readonly steps: readonly Step[];
  readonly open: CustodyStepName;
  readonly proving: Verification;
};

/** Six links in one line, on a phone one below the other, each with its state and its summary. */
export function CustodyChain({ releaseId, steps, open, proving }: CustodyChainProps) {
  return (
    <ol className={styles.chain} aria-label={t('chain.label')}>
      {steps.map((step, index) => (
        <li key={step.step} data-state={step.state} data-joint={connectorAfter(steps, index)}>
          <span className={styles.knot}>
            <ShapeIcon look={custodyLook(step.state)} size={32} />
          </span>
          <Link
            look="bare"
            to="/custody/$releaseId"
            params={{ releaseId }}
            search={{ link: custodyLink(step.step) }}
            replace
            resetScroll={false}
            aria-current={step.step === open ? 'step' : undefined}
          >
            <b>{t(`custody.${step.step}`)}</b>
            <span className={styles.word}>{t(`custody.${step.state}`)}</span>
            <Rests on={step} proving={proving} />
          </Link>
        </li>
      ))}
    </ol>
  );
}

/** Evidence of a link: its weakest statement, the signer and the log entry; or the reason why there is none. */
function Rests({ on: { state, reason, statements }, proving }: { readonly on: Step; readonly proving: Verification }) {
  const weakest = statementToOpen(statements, undefined);
  if (state === 'MISSING' || weakest === undefined)
    return <span className={`small ${styles.says}`}>{reason === null ? t('chain.none') : capitalized(reason)}</span>;
  const { summary, digest, logIndex } = weakest.statement;
  const name = signerName(weakest.statement);
  const failed = statements.filter(({ attestation }) => proving.found(attestation?.ref)?.verified === false);
  return (
    <>
      <span className={styles.says}>{capitalized(summary)}</span>
      {digest !== null && (
        <span className="code quiet">
          {hex(digest).slice(0, 8)}…{digest.slice(-4)}
        </span>
      )}
      {name !== undefined && <span className="small quiet clip">{t('chain.key', { who: name })}</span>}
      <span className="small quiet">
        {logIndex === null ? t('chain.notLogged') : t('chain.logged', { n: Number(logIndex) })}
      </span>
      {failed.length > 0 && (
        <span className="small">{t('chain.failed', { of: failed.map(statementSubject).join(', ') })}</span>
      )}
      {statements.length > 1 && <span className="small quiet">{t('chain.more', { n: statements.length - 1 })}</span>}
    </>
  );
}
