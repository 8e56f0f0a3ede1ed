import { RevokeTriageDecisionDocument } from '../generated/operations.ts';
import { ReasonDialog } from './dialogs.tsx';
import type { Decision } from './TriageDecision.tsx';
import { t } from './triage-labels.ts';

type EndDecisionProps = { readonly decision: Decision; readonly close: () => void };

/** Dialog that ends a decision with a reason. */
export const EndDecision = ({ decision: { id, vulnerabilityId }, close }: EndDecisionProps) => (
  <ReasonDialog
    document={RevokeTriageDecisionDocument}
    input={(reason) => ({ id, reason })}
    title={t('decision.end.title', { id: vulnerabilityId })}
    verb={t('decision.end.verb')}
    done={t('decision.ended', { id: vulnerabilityId })}
    refetch="active"
    close={close}
  >
    <p className="soft">{t('decision.end.lead')}</p>
  </ReasonDialog>
);
