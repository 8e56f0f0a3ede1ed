import { useState } from 'react';
import {
  ApprovePromotionDocument,
  type DecisionFragment,
  RejectPromotionDocument,
} from '../../generated/operations.ts';
import { type Command, useCommands } from '../../lib/commands.ts';
import { hex } from '../../lib/digest.ts';
import { usePhone } from '../../lib/viewport.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { OutcomeAcknowledgement, useAcknowledgement } from '../../parts/Outcomes.tsx';
import { Button } from '../../ui/Button.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Forbidden } from '../../ui/Forbidden.tsx';
import { TextArea, TextField } from '../../ui/Form.tsx';
import { t } from './labels.ts';

type Props = { readonly promotion: DecisionFragment; readonly decided: () => void };
type Question = { readonly verb: 'approve' | 'reject'; readonly promotion: DecisionFragment };

/**
 * Buttons to approve and reject, or the rule in place of a forbidden one. The decision is shown once the server has it.
 */
export function Decision({ promotion, decided }: Props) {
  const { viewerCanApprove, viewerCanReject, state } = promotion;
  // The dialog keeps the promotion as it was when it opened: an approval binds to what the approver saw.
  const [question, ask] = useState<Question>();
  const approve = () => ask({ verb: 'approve', promotion });
  const reject = () => ask({ verb: 'reject', promotion });
  const offered: Command[] = [];
  if (viewerCanApprove.allowed) offered.push({ id: 'approve', keys: 'a', title: t('approve.verb'), run: approve });
  if (viewerCanReject.allowed) offered.push({ id: 'reject', keys: 'r', title: t('reject.verb'), run: reject });
  useCommands(offered);

  if (state !== 'PENDING' && question === undefined) return null;
  return (
    <>
      {viewerCanApprove.allowed ? (
        <Button weight="primary" onClick={approve}>
          {t('approve.verb')} <kbd>a</kbd>
        </Button>
      ) : (
        <Forbidden permission={viewerCanApprove} action="approve" />
      )}
      {viewerCanReject.allowed && (
        <Button onClick={reject}>
          {t('reject.button')} <kbd>r</kbd>
        </Button>
      )}
      {question?.verb === 'approve' && (
        <Approve promotion={question.promotion} close={() => ask(undefined)} decided={decided} />
      )}
      {question?.verb === 'reject' && (
        <Reject promotion={question.promotion} close={() => ask(undefined)} decided={decided} />
      )}
    </>
  );
}

type QuestionProps = Props & { readonly close: () => void };

const byName = ({ release, targetEnvironment }: DecisionFragment) => ({
  what: `${release.name} ${release.semver}`,
  where: targetEnvironment.name,
});

function Approve({ promotion, close, decided }: QuestionProps) {
  const phone = usePhone();
  const tail = hex(promotion.gatedDigestSet).slice(-4);
  const { outcomes } = promotion.release;
  const { asked, ...acknowledgement } = useAcknowledgement(outcomes);
  const [needsAcknowledgement, setNeedsAcknowledgement] = useState(false);
  return (
    <FormDialog
      document={ApprovePromotionDocument}
      input={({ text, wrong }) => {
        setNeedsAcknowledgement(!acknowledgement.seen);
        if (!acknowledgement.seen) return undefined;
        if (phone && text('tail').toLowerCase() !== tail)
          wrong.push({ field: 'tail', message: t('approve.digestTail.wrong'), code: '' });
        return {
          id: promotion.id,
          seenGatedDigestSet: promotion.gatedDigestSet,
          acknowledgeOutcomes: asked,
          ...(text('comment') !== '' && { comment: text('comment') }),
        };
      }}
      title={t('approve.title', byName(promotion))}
      verb={t('approve.verb')}
      done={t('approve.done', byName(promotion))}
      onDone={() => {
        close();
        decided();
      }}
      close={close}
    >
      <p className="soft">
        {t('approve.binds')} <Digest value={promotion.gatedDigestSet} />
      </p>
      {phone && (
        <TextField
          name="tail"
          label={t('approve.digestTail')}
          hint={t('approve.digestTail.hint')}
          maxLength={4}
          autoFocus
        />
      )}
      <TextField
        name="comment"
        label={t('approve.comment')}
        hint={t('field.audited')}
        maxLength={2000}
        autoFocus={!phone}
      />
      <OutcomeAcknowledgement outcomes={outcomes} unseen={needsAcknowledgement} {...acknowledgement} />
    </FormDialog>
  );
}

function Reject({ promotion, close, decided }: QuestionProps) {
  return (
    <FormDialog
      document={RejectPromotionDocument}
      input={({ need, text }) => {
        need('comment', t('reject.reason.missing'));
        return { id: promotion.id, comment: text('comment') };
      }}
      title={t('reject.title', byName(promotion))}
      verb={t('reject.verb')}
      done={t('reject.done', byName(promotion))}
      onDone={() => {
        close();
        decided();
      }}
      close={close}
    >
      <TextArea
        name="comment"
        label={t('reject.reason')}
        hint={t('field.audited')}
        maxLength={2000}
        required
        autoFocus
      />
    </FormDialog>
  );
}
