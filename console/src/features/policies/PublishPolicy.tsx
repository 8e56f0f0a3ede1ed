import { use, useState } from 'react';
import {
  PublishScorePolicyDocument,
  ScorePoliciesDocument,
  type ScorePolicyRowFragment,
} from '../../generated/operations.ts';
import { FieldProblems } from '../../lib/form-drafts.ts';
import { parseJson } from '../../lib/json.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { TextArea } from '../../ui/Form.tsx';
import { t } from './labels.ts';
import { PolicyComparison, shareText } from './PolicyComparison.tsx';
import { comparePolicies, isChanged, nextVersion, weightSum } from './policy-changes.ts';

type PublishPolicyProps = { readonly inForce: ScorePolicyRowFragment; readonly close: () => void };

/** Dialog that publishes a version, beginning with the one in force; it shows what differs before the server is asked. */
export function PublishPolicy({ inForce, close }: PublishPolicyProps) {
  // The version that the dialog was opened with: another one must not replace what is typed.
  const [{ document: before }] = useState(inForce);
  const [initial] = useState(() => nextVersion(before));
  const [text, type] = useState(initial);
  return (
    <FormDialog
      document={PublishScorePolicyDocument}
      input={(fields) => {
        fields.need('policy', t('policy.publish.required'));
        return { policy: fields.text('policy') };
      }}
      done={({ publishScorePolicy: { id, version } }) =>
        t('policy.published.done', { name: t('policy.name', { id, version }) })
      }
      refetch={[ScorePoliciesDocument]}
      title={t('policy.publish.title')}
      verb={t('policy.publish.verb')}
      wide
      close={close}
    >
      <p className="soft">{t('policy.publish.lead')}</p>
      <PolicyText initial={initial} type={type} />
      <Preview before={before} text={text} />
    </FormDialog>
  );
}

type PolicyTextProps = { readonly initial: string; readonly type: (text: string) => void };

/** Text of the policy, with every refusal of the server below it under the path of its value. */
function PolicyText({ initial, type }: PolicyTextProps) {
  const refusals = use(FieldProblems).filter(({ field }) => field !== 'policy');
  return (
    <>
      <TextArea
        name="policy"
        label={t('policy.publish.json')}
        hint={t('policy.publish.hint')}
        wrong={refusals.length > 0 ? t('policy.publish.refused') : undefined}
        defaultValue={initial}
        onValue={type}
        rows={14}
        code
        required
        autoFocus
      />
      {refusals.length > 0 && (
        <ul className="problem">
          {refusals.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <span className="code">{field}</span> {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type PreviewProps = { readonly before: string; readonly text: string };

/** Differences of the typed text from the version in force, and the sum of its weights. */
function Preview({ before, text }: PreviewProps) {
  if (parseJson(text) === undefined) return <p className="small quiet">{t('policy.publish.unreadable')}</p>;
  const sum = weightSum(text);
  const changed = comparePolicies(before, text).filter(isChanged);
  return (
    <>
      <p className="small soft" role="status">
        {t('policy.changed', { n: changed.length })}. {sum !== undefined && t('policy.sum', { sum: shareText(sum) })}
      </p>
      {changed.length > 0 && <PolicyComparison label={t('policy.publish.preview')} before={before} after={text} />}
    </>
  );
}
