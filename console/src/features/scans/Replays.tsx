import { useState } from 'react';
import { type ScoreVerificationFragment, VerifyScoreDocument } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import type { Problem } from '../../lib/problem.ts';
import { mayWriteScans } from '../../lib/scan-permissions.ts';
import { exactText } from '../../lib/score.ts';
import { actionsColumn } from '../../parts/RowAction.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { Button, RowButton } from '../../ui/Button.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import type { Scan } from './ScanPage.tsx';
import styles from './Scans.module.css';
import type { Replay } from './use-replay.ts';
import { failureParts, failureText } from './verification-text.ts';

type ScoreReplay = Scan['replays'][number];

type Proving = {
  readonly verify: (rootHash: string) => void;
  readonly busy: string | undefined;
  readonly problem: Problem | undefined;
  readonly resultOf: (rootHash: string) => ScoreVerificationFragment | undefined;
};

/** Verifies proof bundles of a scan in place; results are those of this visit. */
function useProving(scanId: string): Proving {
  const action = useAction(VerifyScoreDocument);
  const [busy, setBusy] = useState<string>();
  const [results, setResults] = useState<ReadonlyMap<string, ScoreVerificationFragment>>(new Map());
  const verify = async (rootHash: string) => {
    setBusy(rootHash);
    const answer = await action.run({ scanId, expectedRootHash: rootHash });
    setBusy(undefined);
    if (answer) setResults((before) => new Map(before).set(rootHash, answer.verifyScore));
  };
  return {
    verify: (rootHash) => void verify(rootHash),
    busy,
    problem: action.problem,
    resultOf: (rootHash) => results.get(rootHash),
  };
}

/** Replays of a score, newest first, each with its bundle and the bundle's verification. */
export function Replays({ scan, replay }: { readonly scan: Scan; readonly replay: Replay }) {
  const proving = useProving(scan.id);
  return (
    <TableSection
      title={t('replays.title')}
      empty={t('replays.empty')}
      side={
        replay.isOffered && (
          <>
            <Button size="small" busy={replay.busy} onClick={() => replay.run()}>
              {t('replay.frozen')}
            </Button>
            <Button size="small" busy={replay.busy} onClick={() => replay.run(new Date().toISOString())}>
              {t('replay.now')}
            </Button>
          </>
        )
      }
      rows={scan.replays}
      rowId={({ rootHash, replayedAt }) => `${rootHash}/${replayedAt}`}
      columns={columns(proving)}
      labelled
    >
      <ActionError problem={proving.problem} />
    </TableSection>
  );
}

const columns = (proving: Proving): Column<ScoreReplay>[] => [
  { name: t('replays.at'), cell: ({ replayedAt }) => <Time at={replayedAt} as="full" /> },
  { name: t('replays.for'), cell: ({ freezeTimestamp }) => <Time at={freezeTimestamp} /> },
  {
    name: t('scan.score'),
    number: true,
    cell: ({ score }) => optional(score, t('scan.score.none'), (value) => exactText(value)),
  },
  { name: t('replays.root'), cell: ({ rootHash }) => <Digest value={rootHash} /> },
  { name: t('replays.bundle'), cell: ({ bundleHash }) => <Digest value={bundleHash} /> },
  {
    name: t('replays.result'),
    className: 'breaks',
    cell: ({ rootHash }) => <Result result={proving.resultOf(rootHash)} />,
  },
  ...(mayWriteScans()
    ? [
        actionsColumn<ScoreReplay>(({ rootHash, replayedAt }) => (
          <RowButton
            label={t('verify.label', { at: replayedAt })}
            busy={proving.busy === rootHash}
            press={() => proving.verify(rootHash)}
          >
            {t('verify.verb')}
          </RowButton>
        )),
      ]
    : []),
];

/** Result of a verification: valid, or the first failure in words with the server's detail. */
function Result({ result }: { readonly result: ScoreVerificationFragment | undefined }) {
  return (
    <div role="status" className={styles.result}>
      {result === undefined ? (
        <span className="quiet">{t('verify.never')}</span>
      ) : result.valid ? (
        <>
          <StateLabel look="verified">{t('verify.valid')}</StateLabel>
          <span className="small quiet">{t('verify.valid.note')}</span>
        </>
      ) : (
        <>
          <StateLabel look="failed" wrap>
            {failureText(result.errorMessage)}
          </StateLabel>
          {result.errorMessage !== null && (
            <span className="small quiet">{failureParts(result.errorMessage).detail}</span>
          )}
        </>
      )}
    </div>
  );
}
