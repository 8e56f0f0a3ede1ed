import { useApolloClient } from '@apollo/client/react';
import { ReplayScoreDocument, ScanDetailDocument, type ScanDetailQuery } from '../../generated/operations.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import type { Problem } from '../../lib/problem.ts';
import { mayWriteScans } from '../../lib/scan-permissions.ts';
import { exactText } from '../../lib/score.ts';
import { toast } from '../../ui/Toast.tsx';
import { labelOr, t } from './labels.ts';

export type Replay = {
  /** Whether the score can be replayed, and the user may. */
  readonly isOffered: boolean;
  /** Whether it can be replayed, and the user may not. */
  readonly isForbidden: boolean;
  /** Scores the frozen scan for the time of its freeze, or for another one. */
  readonly run: (freezeTimestamp?: string) => void;
  readonly busy: boolean;
  readonly problem: Problem | undefined;
};

/** Replays the score of a scan; its page is fetched again at once, without waiting for the feed. */
export function useReplay({ id, status, manifest }: NonNullable<ScanDetailQuery['scan']>): Replay {
  const action = useAction(ReplayScoreDocument);
  const client = useApolloClient();
  const isPossible = status === 'COMPLETED' && manifest !== null;
  const replay = async (freezeTimestamp: string | undefined) => {
    const answer = await action.run({ scanId: id, ...(freezeTimestamp && { freezeTimestamp }) });
    if (answer === undefined) return;
    const { score, verificationStatus } = answer.replayScore;
    const result = labelOr(`replay.status.${verificationStatus}`, verificationStatus);
    toast(score === null ? t('replay.done.none') : t('replay.done', { score: exactText(score), result }));
    await client.refetchQueries({ include: [ScanDetailDocument] });
  };
  return {
    isOffered: isPossible && mayWriteScans(),
    isForbidden: isPossible && !mayWriteScans(),
    run: (freezeTimestamp) => void replay(freezeTimestamp),
    busy: action.busy,
    problem: action.problem,
  };
}
