import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import { ScanOpenVexDocument } from '../generated/operations.ts';
import { download } from '../lib/download.ts';
import { type Problem, problemOf } from '../lib/problem.ts';
import { ActionError } from '../ui/Banner.tsx';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { toast } from '../ui/Toast.tsx';
import { t } from './triage-labels.ts';

type OpenVexButtonProps = {
  readonly scanId: string;
  /** Name of the scan, for the accessible name of the button. */
  readonly name: string;
};

/** Downloads the decisions in force about the findings of a scan; a scan without one has no document. */
export function OpenVexButton({ scanId, name }: OpenVexButtonProps) {
  const client = useApolloClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const save = async () => {
    setBusy(true);
    try {
      const { data } = await client.query({
        query: ScanOpenVexDocument,
        variables: { id: scanId },
        fetchPolicy: 'no-cache',
      });
      const text = data?.scan?.openVex;
      if (typeof text === 'string') download(`openvex-${scanId}.json`, 'application/json', text);
      else toast(t('openVex.none'));
      setProblem(undefined);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div>
      <Button size="small" busy={busy} aria-label={t('openVex.label', { name })} onClick={() => void save()}>
        <Icon name="down" size={14} />
        {t('openVex')}
      </Button>
      <ActionError problem={problem} />
    </div>
  );
}
