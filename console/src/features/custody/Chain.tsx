import type { ChainStepFragment, CustodyStepName } from '../../generated/operations.ts';
import { hex } from '../../lib/digest.ts';
import { linkOf } from '../../lib/links.ts';
import { Link } from '../../ui/Link.tsx';
import { ShapeIcon } from '../../ui/Mark.tsx';
import { custodyLook } from '../../ui/Status.tsx';
import styles from './Custody.module.css';
import { jointAfter, statementToOpen } from './chain.ts';
import { sentence } from './sentence.ts';
import { signerOf } from './signer.ts';
import type { Proving } from './use-proving.ts';
import { whose } from './whose.ts';
import { t } from './words.ts';

type Step = ChainStepFragment;

/** Six links in one line, on a phone one below the other. The shape says how far a link is, its line how it holds. */
export function Chain({
  releaseId,
  steps,
  open,
  proving,
}: {
  readonly releaseId: string;
  readonly steps: readonly Step[];
  readonly open: CustodyStepName;
  readonly proving: Proving;
}) {
  return (
    <ol className={styles.chain} aria-label={t('chain.label')}>
      {steps.map((step, at) => (
        <li key={step.step} data-state={step.state} data-joint={jointAfter(steps, at)}>
          <span className={styles.knot}>
            <ShapeIcon {...custodyLook(step.state)} size={32} />
          </span>
          <Link
            look="bare"
            to="/custody/$releaseId"
            params={{ releaseId }}
            search={{ link: linkOf(step.step) }}
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

/** What a link rests on: its weakest statement, who signed it and where the log has it; or why there is none. */
function Rests({ on: { state, reason, statements }, proving }: { readonly on: Step; readonly proving: Proving }) {
  const weakest = statementToOpen(statements, undefined);
  if (state === 'MISSING' || weakest === undefined)
    return <span className={`small ${styles.says}`}>{reason === null ? t('chain.none') : sentence(reason)}</span>;
  const { summary, digest, logIndex } = weakest.statement;
  const who = signerOf(weakest.statement);
  const failed = statements.filter(({ attestation }) => proving.found(attestation?.ref)?.verified === false);
  return (
    <>
      <span className={styles.says}>{sentence(summary)}</span>
      {digest !== null && (
        <span className="code quiet">
          {hex(digest).slice(0, 8)}…{digest.slice(-4)}
        </span>
      )}
      {who !== undefined && <span className="small quiet clip">{t('chain.key', { who })}</span>}
      <span className="small quiet">
        {logIndex === null ? t('chain.unlogged') : t('chain.logged', { n: Number(logIndex) })}
      </span>
      {failed.length > 0 && <span className="small">{t('chain.failed', { of: failed.map(whose).join(', ') })}</span>}
      {statements.length > 1 && <span className="small quiet">{t('chain.more', { n: statements.length - 1 })}</span>}
    </>
  );
}
