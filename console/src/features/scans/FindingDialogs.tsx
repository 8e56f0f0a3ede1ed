import type { ScanFindingFragment } from '../../generated/operations.ts';
import { EndDecision } from '../../parts/EndDecision.tsx';
import { TriageDialog } from './TriageDialog.tsx';

/** Action on a finding that a dialog asks about. The dialog keeps the finding as it was when it opened. */
export type FindingAction = { readonly verb: 'decide' | 'end'; readonly finding: ScanFindingFragment };

type FindingDialogsProps = { readonly scanId: string; readonly action: FindingAction; readonly close: () => void };

/** Dialog of an action on a finding, loaded apart from the page of its scan. */
export function FindingDialogs({ scanId, action: { verb, finding }, close }: FindingDialogsProps) {
  if (verb === 'decide') return <TriageDialog scanId={scanId} finding={finding} close={close} />;
  return finding.decision && <EndDecision decision={finding.decision} close={close} />;
}
